"""Convert posts for other sites: HTML and Markdown with only the features that the platform supports."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Set
from dataclasses import dataclass
from typing import Literal

from blogsvc.connectors._kit.markdown_dialects import TOO_LONG, rewritten
from blogsvc.lib.markdown.clean_html import cleaned
from blogsvc.lib.markdown.raw_html import ATTRIBUTES, TAGS
from blogsvc.lib.workers import text_jobs

Part = Literal[
    "html", "tables", "footnotes", "tasks", "alerts", "strikethrough", "breaks", "embeds", "galleries", "contents"
]

_TASK = re.compile(r"<input\b(?P<attributes>[^>]*)>\s*")
_CHECKED = re.compile(r'^(?:[^"]|"[^"]*")*?\schecked\b')
_TITLE = re.compile(r'<(p|summary) class="markdown-alert-title">((?:(?!</?(?:p|summary)\b).)*+)</\1>', re.DOTALL)
_EMBED = re.compile(r'<a\b[^>]*\sclass="embed"')
# A code block with a file name.
_NAMED_CODE = re.compile(
    r'<figure class="code"><figcaption>([^<]*)</figcaption>(<pre\b(?:(?!</?pre\b).)*+</pre>)</figure>', re.DOTALL
)
_BOX = re.compile(r"<(?P<tag>div|details)\b[^>]*>|</(?:div|details)>")
_LOSSES = {
    "html": "{0} doesn't support HTML. It becomes plain Markdown; media and embeds become links.",
    "tables": "{0} doesn't support tables. Each row becomes a list item.",
    "footnotes": "{0} doesn't support footnotes. They become numbered notes at the end.",
    "tasks": "{0} doesn't support task lists. The boxes become ☑ and ☐.",
    "alerts": "{0} doesn't support alerts. They become quotations.",
    "strikethrough": "{0} doesn't support strikethrough. The text is shown without it.",
    "galleries": "{0} doesn't support galleries. The images are shown one after the other.",
    "contents": "{0} doesn't support tables of contents. The table of contents is left out.",
    "embeds": "{0} doesn't show embedded pages. They become links.",
    TOO_LONG: "The text has too many lines to convert. {0} shows it as it is written.",
}


@dataclass(frozen=True)
class TextForm:
    """A text converted for a platform, and warnings for the author about what was lost."""

    text: str
    warnings: tuple[str, ...] = ()


def html(text: str, slug: str | None = None, classes: Mapping[str, Set[str]] | None = None) -> str:
    """Return our rendered HTML for other sites: plain code blocks, ☑ and ☐ for tasks, no classes for styling.

    The file name of a code block is a paragraph before it.

    Pass the `slug` of the post if several posts may be on one page. It is added to ids and to links to them, so that
    they are unique. Ids have no colons, because WordPress takes what is before the colon of a link as its scheme.

    Args:
        classes: the classes that elements keep, by their tags. Quotations that were alerts have the classes of these,
            such as "markdown-alert-note".
    """
    ticked = _TASK.sub(lambda task: "☑ " if _CHECKED.search(task["attributes"]) else "☐ ", text)
    return cleaned(
        _quoted(_NAMED_CODE.sub(r"<p><code>\1</code></p>\n\2", ticked)),
        tags=TAGS,
        attributes=ATTRIBUTES,
        attribute_filter=_ids_of(slug),
        allowed_classes={tag: set(kept) for tag, kept in classes.items()} if classes else None,
        link_rel=None,
        strip_comments=True,
    )


def html_warnings(text: str, label: str) -> tuple[str, ...]:
    """Return warnings about what our rendered HTML shows in another form than the author wrote."""
    return (_LOSSES["embeds"].format(label),) if _EMBED.search(text) else ()


def _quoted(text: str) -> str:
    """Replace alerts, also folded ones, by quotations with a bold title, which every site can display."""
    ends: list[str] = []

    def replaced(tag: re.Match[str]) -> str:
        if tag["tag"] is None:
            return ends.pop() if ends else tag[0]
        is_alert = tag[0].startswith(f'<{tag["tag"]} class="markdown-alert ')
        ends.append("</blockquote>" if is_alert else f"</{tag['tag']}>")
        return tag[0].replace(tag["tag"], "blockquote", 1) if is_alert else tag[0]

    return _BOX.sub(replaced, _TITLE.sub(r"<p><strong>\2</strong></p>", text))


def _ids_of(slug: str | None) -> Callable[[str, str, str], str | None]:
    prefix = f"{slug}-" if slug else "in-"

    def named(_tag: str, attribute: str, value: str) -> str | None:
        if attribute == "id":
            return prefix + value.removeprefix("in-").replace(":", "-")
        if attribute == "href" and value.startswith("#in-"):
            return f"#{prefix}{value.removeprefix('#in-')}".replace(":", "-")
        return value

    return named


def markdown(text: str, keeps: Collection[Part], label: str) -> TextForm:
    """Return the author's Markdown for a platform that supports only the features in `keeps`. Others are replaced.

    Supported syntax stays exactly as written. Scripts and other active content are always removed, even if `html` is
    kept. The time is linear in the length of the text, and the limits of our own pages apply.

    Args:
        label: the name of the platform, for the warnings.
    """
    is_small = len(text) <= text_jobs.SMALL
    rewritten_text, lost = rewritten(text, keeps) if is_small else text_jobs.run(rewritten, text, sorted(keeps))
    return TextForm(rewritten_text, tuple(_LOSSES[part].format(label) for part in lost if part in _LOSSES))
