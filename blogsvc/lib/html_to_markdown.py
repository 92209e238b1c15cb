"""HTML that an editor made, as the Markdown that its author might have written; and what of it did not come along."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import nh3
from bs4 import BeautifulSoup
from bs4.element import NavigableString, Tag
from markdownify import (  # type: ignore[attr-defined]
    MarkdownConverter,
    should_remove_whitespace_inside,
    should_remove_whitespace_outside,
)

from blogsvc.lib.html_tidying import footnotes, is_too_much, paragraphs, tidy, without_comments
from blogsvc.lib.image_links import quoted

LONGEST = 1024 * 1024  # characters
MOST_MARKS, MOST_OPEN = 30_000, 500  # of "<": the parser may look to the end for each that has no ">"
# Elements that our Markdown shows as they are, within a line.
KEPT = ("abbr", "ins", "mark", "small", "sub", "sup", "u")
# Elements beside which a line goes on.
INLINE = frozenset(
    "a abbr b bdi bdo big cite code del dfn em font i ins kbd mark noteref q s samp small span strike".split()
) | (frozenset("strong sub sup time tt u var wbr img".split()))
# What is dropped with all that is in it, and what is said of it.
DROPPED = {
    "applet": "An applet", "button": "A button", "canvas": "A canvas", "form": "A form", "input": "A form's field",
    "map": "An image map", "math": "A formula in MathML", "script": "A script", "select": "A form's field",
    "svg": "A drawing in SVG", "textarea": "A form's field",
}  # fmt: skip
SILENTLY = ("style", "template", "noscript", "link", "meta", "title")
_LANGUAGE = re.compile(r"(?:^|\s)(?:language-|lang-|highlight-source-|brush:\s*)([\w+#.-]{1,30})")
_TABLE_TAGS = set(
    "table caption thead tbody tfoot tr th td p br strong em b i a code pre ul ol li img del sub sup".split()
)
_RAW = {"*": {"lang", "dir", "title"}, "a": {"href"}, "img": {"src", "alt", "width", "height"}} | {
    cell: {"colspan", "rowspan", "align", "scope"} for cell in ("td", "th")
}


@dataclass(frozen=True)
class Converted:
    markdown: str
    warnings: tuple[str, ...] = ()


def convert(html: str, *, breaks: bool = False) -> Converted:
    """The Markdown of some HTML. With `breaks`, an empty line parts paragraphs and a new line is one, as WordPress had
    it before its blocks. Never raises: what is beyond bounds comes as plain text, and that is said."""
    marks = html.count("<")
    if len(html) > LONGEST or marks > MOST_MARKS or marks - html.count(">") > MOST_OPEN:
        return _in_plain_words(re.sub(r"<[^<>]*>", " ", html[:LONGEST]))
    soup = BeautifulSoup(without_comments(html), "html.parser")
    if is_too_much(soup):
        return _in_plain_words(soup.get_text("\n\n", strip=True))
    warnings: list[str] = []
    tidy(soup)
    if breaks:
        paragraphs(soup)
    notes = footnotes(soup)
    converter = _Converter(warnings)
    body = converter.convert_soup(soup)
    tail = [f"[^{label}]: {_indented(converter.convert_soup(note))}" for label, note in notes]
    text = "\n\n".join([_settled(body), *tail]).strip("\n")
    return Converted(text, tuple(dict.fromkeys(warnings)))


def _in_plain_words(text: str) -> Converted:
    return Converted(escaped(text), ("It is too long or too deep to convert; its words came in as plain text.",))


def escaped(text: str, *, starts_line: bool = True) -> str:
    """Plain text as Markdown that shows it, with no more backslashes than it needs."""
    text = text.replace("\\", "\\\\").replace("`", "\\`").replace("~~", "\\~\\~")
    text = re.sub(r"(?<!\s)\*|\*(?!\s)", r"\\*", text)
    text = re.sub(r"(?<!\w)_|_(?!\w)", r"\\_", text)
    text = re.sub(r"<(?=[a-zA-Z/!?])", r"\\<", text)
    text = re.sub(r"&(?=#?\w{1,32};)", r"\\&", text)
    text = re.sub(r"\[(?=[^\[\]\n]{0,300}\]\s?[(\[:]|[ xX]\]|\^|!)", r"\\[", text)
    if starts_line:
        text = re.sub(
            r"^([ \t]*)(#{1,6}(?=\s|$)|[-+](?=\s|$)|>|=+[ \t]*$|-{2,}[ \t]*$|\|)", r"\1\\\2", text, flags=re.MULTILINE
        )
        text = re.sub(r"^([ \t]*\d{1,9})([.)](?:\s|$))", r"\1\\\2", text, flags=re.MULTILINE)
    return text


def _indented(text: str) -> str:
    return re.sub(r"\n(?=[^\n])", "\n    ", text.strip())


def _settled(text: str) -> str:
    """Without spaces at ends of lines, and with one empty line where there were more; code stays as it is."""
    parts = re.split(r"^([ >]*(`{3,})[^\n]*\n.*?^[ >]*\2[ ]*$)", text, flags=re.DOTALL | re.MULTILINE)
    for index in range(0, len(parts), 3):
        parts[index] = re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]+$", "", parts[index], flags=re.MULTILINE))
    return "".join(part for index, part in enumerate(parts) if index % 3 != 2)


class _Converter(MarkdownConverter):
    """markdownify, with what our Markdown has and it does not know. Method names and parameters are its own."""

    def __init__(self, warnings: list[str]) -> None:
        super().__init__()
        self.warnings = warnings
        for name, what in DROPPED.items():
            setattr(self, f"convert_{name}", self._dropping(f"{what} was left out."))
        for name in SILENTLY:
            setattr(self, f"convert_{name}", self._dropping(None))
        for name in KEPT:
            setattr(self, f"convert_{name}", self._keeping(name))

    def _dropping(self, warning: str | None) -> Any:
        def convert(el: Tag, text: str, parent_tags: set[str]) -> str:
            if warning:
                self.warnings.append(warning)
            return ""

        return convert

    def _keeping(self, name: str) -> Any:
        def convert(el: Tag, text: str, parent_tags: set[str]) -> str:
            if not text.strip() or "_noformat" in parent_tags or "\n\n" in text:
                return text
            title = str(el.get("title") or "").replace('"', "&quot;").replace("<", "&lt;")
            return (
                f'<{name} title="{title}">{text}</{name}>' if title and name == "abbr" else f"<{name}>{text}</{name}>"
            )

        return convert

    def escape(self, text: str, parent_tags: set[str]) -> str:
        return escaped(text)

    def process_text(self, el: NavigableString, parent_tags: set[str] | None = None) -> str:
        """Words on one line. In the midst of it, what would begin a list at its beginning begins none."""
        inside = parent_tags or set()
        if "pre" in inside:
            return str(el)
        text = re.sub(r"[ \t\r\n]+", " ", str(el))
        before, after = el.previous_sibling, el.next_sibling
        within = should_remove_whitespace_inside(el.parent)
        if should_remove_whitespace_outside(before) or (within and before is None):
            text = text.lstrip(" ")
        if should_remove_whitespace_outside(after) or (within and after is None):
            text = text.rstrip(" ")
        if "_noformat" in inside:
            return text
        starts = before is None or (isinstance(before, Tag) and before.name not in INLINE)
        return escaped(text, starts_line=starts)

    # -- marks within a line

    def _marked(self, el: Tag, text: str, parent_tags: set[str], mark: str, kin: set[str], tag: str) -> str:
        if "_noformat" in parent_tags or kin & parent_tags:
            return text
        words = text.strip()
        if not words or "\n\n" in words:
            return text
        lead, tail = " " * text.startswith(" "), " " * text.endswith(" ")
        before, after = _neighbour(el.previous_sibling, -1), _neighbour(el.next_sibling, 0)
        is_glued = (not lead and before.isalnum() and not words[0].isalnum()) or (
            not tail and after.isalnum() and not words[-1].isalnum()
        )
        is_doubled = any(isinstance(one, Tag) and one.name in kin for one in (el.previous_sibling, el.next_sibling))
        if is_glued or is_doubled or words.endswith("\\"):
            return f"{lead}<{tag}>{words}</{tag}>{tail}"
        return f"{lead}{mark}{words}{mark}{tail}"

    def convert_b(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return self._marked(el, text, parent_tags, "**", {"b", "strong"}, "strong")

    def convert_em(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return self._marked(el, text, parent_tags, "*", {"i", "em", "cite", "dfn"}, "em")

    def convert_del(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return self._marked(el, text, parent_tags, "~~", {"del", "s", "strike"}, "del")

    convert_strong = convert_b
    convert_i = convert_cite = convert_dfn = convert_em
    convert_s = convert_strike = convert_del

    def convert_kbd(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        words = " ".join(el.get_text().split())
        return words if "_noformat" in parent_tags else f"<kbd>{escaped(words)}</kbd>" if words else ""

    def convert_q(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return f"“{text}”"

    def convert_br(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        if parent_tags & {"td", "th"}:
            return "<br>"
        if "_inline" in parent_tags:
            return " "
        return "\\\n" if el.next_sibling is not None and el.previous_sibling is not None else ""

    def convert_noteref(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return f"[^{el['label']}]"

    def convert_a(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        href = str(el.get("href") or "").strip()
        if not href or href.lower().startswith(("javascript:", "data:", "vbscript:")) or "\n\n" in text.strip():
            return text
        if "_noformat" in parent_tags or "a" in parent_tags:
            return text
        words, title = text.strip(), " ".join(str(el.get("title") or "").split())
        if not words:
            return ""
        if el.get_text() == href and not title and re.fullmatch(r"https?://[^\s<>]+", href):
            return f"{' ' * text.startswith(' ')}<{href}>{' ' * text.endswith(' ')}"
        named = f' "{_in_quotes(title)}"' if title and title != el.get_text().strip() else ""
        return f"{' ' * text.startswith(' ')}[{words}]({quoted(href)}{named}){' ' * text.endswith(' ')}"

    def convert_img(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        src = str(el.get("data-src") or el.get("src") or "").strip()
        if src.startswith("data:") or not src:
            if src:
                self.warnings.append("A picture that was written into the text itself was left out.")
            return ""
        alt = re.sub(r"[\\\[\]*_`<]", r"\\\g<0>", " ".join(str(el.get("alt") or "").split()))
        return f"![{alt}]({quoted(src)})"

    # -- blocks

    def convert_hN(self, n: int, el: Tag, text: str, parent_tags: set[str]) -> str:  # noqa: N802 (theirs)
        words = " ".join(text.split())
        return words if "_inline" in parent_tags or not words else f"\n\n{'#' * max(1, min(6, n))} {words}\n\n"

    def convert_pre(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        for line_break in el.find_all("br"):
            line_break.replace_with("\n")
        code = el.get_text().replace("\t", "    ").strip("\n")
        if not code.strip():
            return ""
        fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", code)), default=0))
        return f"\n\n{fence}{_language(el)}\n{code}\n{fence}\n\n"

    def convert_figure(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return f"\n\n{text.strip()}\n\n"

    convert_picture = convert_figure

    def convert_figcaption(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        words = text.strip()
        if not words:
            return ""
        return f"\n\n*{words}*\n\n" if "*" not in words and "\n" not in words else f"\n\n{words}\n\n"

    def convert_li(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        words = text.strip()
        bullet = f"{el['value']}. " if str(el.get("value") or "").isdigit() else "- "
        if (box := el.find("input", attrs={"type": "checkbox"})) is not None:
            words = f"[{'x' if box.has_attr('checked') else ' '}] {words}"
        return bullet + re.sub(r"\n(?=[^\n])", "\n" + " " * len(bullet), words) + "\n"

    def convert_input(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return ""

    def convert_details(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        summary = el.find("summary", recursive=False)
        name = summary.get_text(" ", strip=True) if summary else "Details"
        name = name.replace("&", "&amp;").replace("<", "&lt;")
        return f"\n\n<details><summary>{name}</summary>\n\n{text.strip()}\n\n</details>\n\n"

    def convert_summary(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return "" if el.parent is not None and el.parent.name == "details" else text

    def convert_table(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        if el.find(rowspan=True) or el.find(colspan=True) or el.find(["ul", "ol", "pre", "table", "blockquote", "h2"]):
            self.warnings.append("A table with cells that span others, or hold more than text, stays HTML.")
            return self._raw(el, _TABLE_TAGS)
        caption = el.find("caption")
        above = f"\n\n*{caption.get_text(' ', strip=True)}*" if caption else ""
        return f"{above}\n\n{text.strip()}\n\n"

    def convert_caption(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return ""

    def convert_td(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        cell = re.sub(r"(?<!\\)\|", r"\\|", text.strip().replace("\\\n", "<br>").replace("\n", " "))
        return f" {cell} |"

    convert_th = convert_td

    def convert_dl(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return self._raw(el, {"dl", "dt", "dd", "p", "a", "strong", "em", "code", "img", "br", "ul", "ol", "li"})

    def convert_ruby(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return self._raw(el, {"ruby", "rt", "rp", "rb"}).strip()

    def _raw(self, el: Tag, tags: set[str]) -> str:
        """As HTML on one line, which our Markdown shows; without what it would not."""
        html = nh3.clean(str(el), tags=tags, attributes=_RAW, link_rel=None)
        return "\n\n" + re.sub(r"\s*\n\s*", " ", html).strip() + "\n\n"

    # -- what plays, and what is shown from elsewhere

    def convert_video(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        source = el.find("source", src=True)
        src = str(el.get("src") or (source.get("src") if isinstance(source, Tag) else "") or "")
        if not src:
            self.warnings.append(f"A {el.name} without an address was left out.")
            return ""
        quoted_src = quoted(src).replace('"', "%22").replace("&", "&amp;")
        return f'\n\n<{el.name} src="{quoted_src}" controls></{el.name}>\n\n'

    convert_audio = convert_video

    def convert_source(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return ""

    convert_track = convert_source

    def convert_iframe(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        src = str(el.get("src") or el.get("data-src") or el.get("data") or "").strip()
        src = f"https:{src}" if src.startswith("//") else src
        if not src.startswith(("https://", "http://")):
            self.warnings.append("Something embedded, without an address, was left out.")
            return ""
        url = page_of(src)
        self.warnings.append(f"What was embedded from {urlsplit(url).hostname} is a link now.")
        name = " ".join(str(el.get("title") or "").split()) or urlsplit(url).hostname or url
        return f"\n\n[{escaped(name)}]({quoted(url)})\n\n"

    convert_embed = convert_object = convert_iframe


def page_of(url: str) -> str:
    """The page that shows what a player's address plays."""
    for pattern, page in (
        (r"https?://(?:www\.)?youtube(?:-nocookie)?\.com/embed/([\w-]{6,})", r"https://www.youtube.com/watch?v=\1"),
        (r"https?://player\.vimeo\.com/video/(\d+)", r"https://vimeo.com/\1"),
    ):
        if found := re.match(pattern, url):
            return found.expand(page)
    return url


def _neighbour(node: Any, index: int) -> str:
    return str(node)[index : index + 1 or None] if type(node) is NavigableString and str(node) else ""


def _in_quotes(title: str) -> str:
    return title.replace("\\", "\\\\").replace('"', '\\"')


def _language(el: Tag) -> str:
    """The language of a code block, by one of the ways in which it is written down."""
    for tag in (el, *el.find_all("code")):
        said = " ".join(tag.get("class") or [])
        if found := _LANGUAGE.search(said):
            return found[1].strip(";")
        for name in ("data-language", "data-lang", "data-enlighter-language", "lang"):
            if re.fullmatch(r"[\w+#.-]{1,30}", str(tag.get(name) or "")):
                return str(tag.get(name))
    return ""
