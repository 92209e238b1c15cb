"""Turn the HTML of a clipboard into plain semantic HTML, whichever program it was copied from.

Word processors write formats as styles, lists as paragraphs with markers, and footnotes as links to anchors. Web pages
bring their buttons and edit links.
"""

from __future__ import annotations

import re
from collections import Counter

from bs4 import BeautifulSoup
from bs4.element import AttributeValueList, NavigableString, Tag

from blogsvc.lib.html_to_markdown import LOCAL_SCHEMES, hidden, pasted_images, pasted_lines, pasted_lists, pasted_styles
from blogsvc.lib.html_to_markdown.tidying import BLOCKS
from blogsvc.lib.markdown.callouts import KINDS

_NOISE = (
    ".mw-editsection, .mw-cite-backlink, .Z3988, sup.noprint, .sr-only, .EOP, .WACAltTextDescribedBy,"
    " .kg-bookmark-icon, .zeroclipboard-container"
)
_LOCAL = re.compile(rf"^\s*(?:{'|'.join(sorted(LOCAL_SCHEMES))}):", re.IGNORECASE)
_CAPTIONS = "p.MsoCaption, p.caption, p.wp-caption-text"
# Paragraphs in the styles for quotations of Word and LibreOffice.
_QUOTATIONS = "p.MsoQuote, p.MsoIntenseQuote, p.quotations, p[class^=quotations-], blockquote.western"
_BLOCKS = ["blockquote", "div", "dl", "figure", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre"]
_BLOCKS += ["section", "table", "ul"]
_NOTES = ("li", "p", "div", "aside")
# How the links to footnotes of Word, Google Docs and LibreOffice begin.
_NOTE_LINK = re.compile(r"#(?:_ftn|_edn|ftnt|sdfootnote|sdendnote|footnote-|endnote-)\d*")
_NOTE_ID = re.compile(r"(?:sd)?(?:ftn|edn|footnote|endnote)\d")
_STRUCK = re.compile("line-through", re.IGNORECASE)
_TASK = re.compile(r"\s*+\[([ xX])\]\s+")


def prepare(soup: BeautifulSoup, css: str, generator: str) -> None:
    """Make the document semantic. `generator` is the program that it comes from, if its HTML names it."""
    pasted_styles.apply_rules(soup, css)
    for link in soup.find_all("a", href=_LOCAL):
        del link["href"]
    for tag in soup.select(_NOISE):
        tag.decompose()
    hidden.remove(soup)
    pasted_images.replace_emoji(soup)
    pasted_lines.keep(soup)
    _name_blocks(soup)
    _find_checkboxes(soup)
    if generator == "cocoa":
        _find_headings(soup)
    if generator == "notion":
        _unpack_notion(soup)
    pasted_lists.build(soup)
    pasted_styles.mark(soup)
    _join_lines(soup)
    _simplify_tables(soup)
    _find_footnotes(soup)
    for item in soup.find_all("li"):
        inside = [part for part in item.contents if isinstance(part, Tag) or str(part).strip()]
        paragraphs = [part for part in inside if isinstance(part, Tag) and part.name == "p"]
        is_apart = all(isinstance(part, Tag) and part.name in ("input", "p", *BLOCKS) for part in inside)
        if len(paragraphs) == 1 and is_apart:
            paragraphs[0].unwrap()


def _name_blocks(soup: BeautifulSoup) -> None:
    """Turn classes and roles that stand for an element into that element."""
    for heading in soup.find_all(["p", "div"], attrs={"role": "heading"}):
        level = str(heading.get("aria-level") or "2")
        heading.name = f"h{level}" if level in "123456" else "h2"
    for title in soup.select("p.MsoTitle, p.title"):
        title.name = "h1"
    _join_quotations(soup)
    for caption in soup.select(f"figcaption, {_CAPTIONS}"):
        caption.name = "figcaption"
        for mark in caption.find_all(["i", "em"]):
            mark.unwrap()
    for cite in soup.select("cite.citation"):
        cite.unwrap()
    for alert in soup.select(".markdown-alert"):
        _name_alert(soup, alert)


def _name_alert(soup: BeautifulSoup, alert: Tag) -> None:
    """Turn an alert of GitHub or of our pages into a quotation that begins with its marker."""
    name, first = alert.find(class_="markdown-alert-title"), alert.find("p", class_=False)
    title = " ".join(name.get_text().split()) if name is not None else ""
    classes = (one.removeprefix("markdown-alert-") for one in alert.get("class") or ())
    kind = title.lower() if title.lower() in KINDS else next((one for one in classes if one in KINDS), "")
    if name is None or first is None or not kind:
        return
    own = {} if title.lower() == kind else {"title": title}
    fold = {"fold": "+" if alert.has_attr("open") else "-"} if alert.name == "details" else {}
    first.insert(0, soup.new_tag("alertmark", attrs={"kind": kind.upper(), **own, **fold}))
    name.decompose()
    alert.name = "blockquote"


def _join_quotations(soup: BeautifulSoup) -> None:
    """Make one quotation of paragraphs that follow each other. Word processors write each as its own."""
    quote: Tag | None = None
    for paragraph in soup.select(_QUOTATIONS):
        if paragraph.find(_BLOCKS) is not None:
            continue
        paragraph.name = "p"
        if quote is not None:
            pasted_lists.remove_space_after(quote)
        if quote is not None and quote.next_sibling is paragraph:
            quote.append(paragraph.extract())
        else:
            quote = paragraph.wrap(soup.new_tag("blockquote"))


def _find_headings(soup: BeautifulSoup) -> None:
    """Make headings of paragraphs with larger letters. The programs of Apple copy no headings."""
    sizes = {id(p): size for p in soup.find_all("p") if (size := pasted_styles.font_size(p))}
    counted: Counter[float] = Counter()
    for paragraph in soup.find_all("p"):
        counted[sizes.get(id(paragraph), 0)] += len(paragraph.get_text())
    usual = counted.most_common(1)[0][0] if counted else 0
    for paragraph in soup.find_all("p"):
        share = sizes.get(id(paragraph), 0) / usual if usual else 0
        if share >= 1.3 and paragraph.get_text(strip=True) and paragraph.find_parent(["li", "table"]) is None:
            paragraph.name = "h1" if share >= 1.8 else "h2"


def _unpack_notion(soup: BeautifulSoup) -> None:
    """Turn callouts and to-do items of Notion into quotations and checkboxes."""
    for callout in soup.find_all("aside"):
        callout.name = "blockquote"
        icon, first = callout.contents[0] if callout.contents else None, callout.find("p")
        if type(icon) is NavigableString and first is not None:
            first.insert(0, NavigableString(f"{icon.strip()} "))
            icon.extract()
    for item in soup.find_all("li"):
        words = next(item.strings, None)
        if words is not None and (box := _TASK.match(words)):
            words.replace_with(NavigableString(words[box.end() :]))
            item.insert(0, _checkbox(soup, box[1] != " "))


def _find_checkboxes(soup: BeautifulSoup) -> None:
    """Turn the items of checklists of Google Docs into checkboxes. Docs strikes the text of the checked ones."""
    for item in soup.find_all("li", role="checkbox"):
        for icon in item.select(":scope > img[aria-roledescription]"):
            icon.decompose()
        is_checked = item.get("aria-checked") == "true"
        for struck in item.find_all(["p", "span"], style=_STRUCK) if is_checked else ():
            struck["style"] = _STRUCK.sub("none", str(struck["style"]))
        item.insert(0, _checkbox(soup, is_checked))


def _checkbox(soup: BeautifulSoup, is_checked: bool) -> Tag:
    return soup.new_tag("input", attrs={"type": "checkbox", **({"checked": ""} if is_checked else {})})


def _join_lines(soup: BeautifulSoup) -> None:
    """Join lines that are elements of their own, if empty ones separate paragraphs, as in e-mails."""
    for blank in soup.find_all("div"):
        if _is_blank_line(blank) and blank.parent is not None:
            holder = blank.parent
            lines: list[Tag] = []
            for child in [*holder.contents, None]:
                if isinstance(child, Tag) and child.name == "div" and not child.find(_BLOCKS) and not _is_image(child):
                    if not _is_blank_line(child):
                        lines.append(child)
                        continue
                    child.decompose()
                elif isinstance(child, NavigableString) and not child.strip():
                    continue
                _join(soup, lines)
                lines.clear()


def _is_blank_line(line: Tag) -> bool:
    return not line.get_text(strip=True) and [tag.name for tag in line.find_all(True)] == ["br"]


def _is_image(line: Tag) -> bool:
    return line.find("img") is not None and not line.get_text(strip=True)


def _join(soup: BeautifulSoup, lines: list[Tag]) -> None:
    for line in lines:
        last = line.contents[-1] if line.contents else None
        if isinstance(last, Tag) and last.name == "br":
            last.decompose()
    for line in lines[1:]:
        lines[0].append(soup.new_tag("br"))
        lines[0].extend(list(line.contents))
        line.decompose()
    if lines:
        lines[0].name = "p"


def _simplify_tables(soup: BeautifulSoup) -> None:
    """Write the paragraphs of a cell as lines, and unwrap tables with a single cell, which are frames."""
    for table in soup.find_all("table"):
        cells = table.find_all(["td", "th"], limit=2)
        if len(cells) == 1:
            cells[0].name = "div"
            for tag in [table, *table.find_all(["thead", "tbody", "tr"])]:
                tag.unwrap()
        for bold in table.select("tr:first-of-type > * b, tr:first-of-type > * strong, th b, th strong"):
            bold.unwrap()
    for cell in soup.find_all(["td", "th"]):
        if cell.find(["ul", "ol", "pre", "table", "blockquote"]):
            continue
        paragraphs = cell.find_all("p")
        if paragraphs and not cell.get("align") and (align := pasted_styles.text_align(paragraphs[0])):
            cell["align"] = align
        for paragraph in [p for p in paragraphs if p.get_text(strip=True)][1:]:
            paragraph.insert_before(soup.new_tag("br"))
        for block in cell.find_all(["p", "div"]):
            block.unwrap()


def _find_footnotes(soup: BeautifulSoup) -> None:
    """Bring the footnotes of all programs into the form that `tidying.footnotes` reads."""
    anchors = {str(tag.get("id") or tag.get("name")): tag for tag in soup.find_all(_is_anchor)}
    for link in soup.find_all("a", href=re.compile("#")):
        name = str(link["href"]).rpartition("#")[2]
        if name in anchors:
            link["href"] = f"#{name}"
        elif str(link["href"]).startswith("#"):
            del link["href"]
    for link in soup.find_all("a", href=re.compile("^#")):
        if link.decomposed:
            continue
        name = str(link["href"])[1:]
        if link.find_parent("sup") is None and not _NOTE_LINK.match(str(link["href"])):
            continue
        if (note := _note_of(anchors[name])) is not None and note not in link.parents:
            for back in note.find_all("a", href=re.compile("^#")):
                _remove_with_sup(back)
            note["id"] = name
            link["class"] = AttributeValueList(["footnote-ref"])


def _is_anchor(tag: Tag) -> bool:
    return bool(tag.get("id") or (tag.name == "a" and tag.get("name")))


def _note_of(anchor: Tag) -> Tag | None:
    """Return the block of a footnote: the anchor, or the block that begins with it, with all its paragraphs."""
    if anchor.decomposed:
        return None
    if anchor.name != "a":
        return anchor if anchor.name in _NOTES else None
    block = anchor.find_parent(_NOTES)
    if block is None or next((text for text in block.strings if text.strip()), "") not in anchor.get_text():
        return None
    holder = block.parent
    if holder is not None and holder.name == "div" and _NOTE_ID.match(str(holder.get("id"))):
        return holder
    return block


def _remove_with_sup(back: Tag) -> None:
    outer = back.parent
    back.decompose()
    if outer is not None and outer.name == "sup" and not outer.get_text(strip=True):
        outer.decompose()
