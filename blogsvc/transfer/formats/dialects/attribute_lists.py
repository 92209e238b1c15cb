"""Read lists of attributes between braces, `{: #id .note title="words"}` and `{#id .note}`, in several Markdowns."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from blogsvc.lib.markdown.fragments import IS_NAME

# Classes of the themes of Jekyll that mean one of our callouts.
_CALLOUTS = {
    "note": "NOTE", "info": "NOTE", "notice": "NOTE", "primary": "NOTE", "tip": "TIP", "success": "TIP",
    "important": "IMPORTANT", "new": "IMPORTANT", "warning": "WARNING", "caution": "CAUTION", "danger": "CAUTION",
    "error": "CAUTION",
}  # fmt: skip
_THEME = re.compile(r"\A(?:prompt-|notice--|alert-|callout-)")
_WIDTHS = ("full", "wide")
_VALUE = r"""(?:"(?P<double>[^"]*+)"|'(?P<single>[^']*+)'|(?P<bare>[^\s"']++))"""
_PART = re.compile(
    rf"""(?P<name>[\w:-]++)={_VALUE}|\#(?P<id>[^\s\#{{}}"'=]++)|\.(?P<class>[^\s.\#"'=]++)|(?P<word>\S)"""
)
_WORD = re.compile(r"\S++")
# The id of Kramdown ends at a dot, where a class begins, unlike that of Goldmark.
_ID_OF_KRAMDOWN = re.compile(r"([\w:-]++)(?:\.(\S++))?")
_DEFINITION = re.compile(r"^[ ]{0,3}\{:([\w-]{1,100}+):[ ]([^{}\n]{0,500}+)\}[ \t]*+$", re.MULTILINE)

# A list without a colon, as Goldmark (Hugo), Pandoc and markdown-it-attrs have it. All of it must be attributes.
LIST = (
    r"""\{[ \t]*+(?:(?:[.#][^\W\d][\w:.-]{0,100}+|[A-Za-z_:@][\w:.-]{0,100}+="""
    r"""(?:"[^"{}\n]{0,500}+"|'[^'{}\n]{0,500}+'|[^\s"'{}=]{1,500}+))(?=[\s,}])[ \t,]*+){1,50}+\}"""
)

Named = Mapping[str, str]


def named_in(text: str) -> Named:
    """Return the lists of attributes that a text defines by name, as Kramdown has them: `{:name: .note}`."""
    return dict(_DEFINITION.findall(text)) if "{:" in text else {}


@dataclass(frozen=True)
class Attributes:
    """What is between the braces: an id, classes, other words such as "toc", and whether there is something else."""

    id: str = ""
    classes: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    has_more: bool = False

    @classmethod
    def of(cls, text: str, named: Named | None = None) -> Attributes:
        """Return the attributes of a text, which begins with a colon in Kramdown.

        Args:
            named: lists of attributes, for which their names stand.
        """
        ids, classes, words, is_kramdown = list[str](), list[str](), list[str](), text.startswith(":")
        text = _with_named(text.removeprefix(":"), named or {})
        has_more, place = False, 0
        while part := _PART.search(text, place):
            place = part.end()
            value = part["double"] or part["single"] or part["bare"] or ""
            if part["id"]:
                name = _ID_OF_KRAMDOWN.fullmatch(part["id"]) if is_kramdown else None
                ids.append(name[1] if name else part["id"])
                classes += name[2].split(".") if name and name[2] else []
            elif part["class"]:
                classes.append(part["class"])
            elif part["name"] == "id":
                ids.append(value)
            elif part["name"] == "class":
                classes += value.split()
            elif part["name"]:
                has_more = True
            else:
                word = _WORD.match(text, part.start())
                place = word.end() if word else place
                words.append(word[0] if word else part[0])
        shown = [one for one in ids if IS_NAME.fullmatch(one)]
        return cls(
            shown[-1] if shown else "", tuple(filter(None, classes)), tuple(words), has_more or len(shown) < len(ids)
        )

    @property
    def callout(self) -> str:
        kinds = (_CALLOUTS.get(_THEME.sub("", name.lower())) for name in self.classes)
        return next((kind for kind in kinds if kind), "")

    @property
    def width(self) -> str:
        return next((name for name in self.classes if name in _WIDTHS), "")


def _with_named(text: str, named: Named) -> str:
    return _WORD.sub(lambda word: named.get(word[0], word[0]), text) if named else text
