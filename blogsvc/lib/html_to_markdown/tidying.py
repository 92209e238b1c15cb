"""Clean up HTML before the conversion: unwrap editor markup."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from bs4 import BeautifulSoup
from bs4.element import NavigableString, PageElement, Tag

from blogsvc.lib.html_to_markdown.end_tags import with_end_tags
from blogsvc.lib.html_to_markdown.hidden import without_comments
from blogsvc.lib.html_to_markdown.redirect_urls import direct_url
from blogsvc.lib.html_to_markdown.references import with_plain_ampersands
from blogsvc.lib.html_to_markdown.spaces import without_stand_ins

MAX_HTML_TAGS = 20_000
DEEPEST = 60
MAX_INDENTED = 8_000_000  # characters, each counted once for every list and quotation around it
_INDENTED_TAG = 40  # characters, for a tag
_INDENTING = frozenset("blockquote dd li ol ul".split())
IMAGE_URL = re.compile(r"\.(?:jpe?g|png|gif|webp|avif)(?:\?|$)", re.IGNORECASE)

BLOCKS = frozenset(
    "address article aside audio blockquote caption center details dialog dd div dl dt embed fieldset figcaption figure"
    " footer form gallery h1 h2 h3 h4 h5 h6 header hgroup hr iframe legend li main nav object ol p pre search"
    " section summary table tbody td tfoot th thead toc tr ul video".split()
)
_OLD_NAMES = {"acronym": "abbr", "dir": "ul", "menu": "ul", "listing": "pre", "plaintext": "pre", "xmp": "pre"}
_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
OWN_NUMBERS = "own-numbers"  # an attribute of a list whose numbers Markdown can't say
_PERMALINKS = frozenset({"anchor", "headerlink", "header-anchor"})  # classes of links from a heading to itself


def parse(html: str, keeping_blanks: Collection[str] = ()) -> BeautifulSoup:
    """Parse HTML. Blank text becomes one space or newline, except in `pre` and the elements with the given names."""
    kept = {"pre", "textarea", *keeping_blanks}
    written = with_plain_ampersands(with_end_tags(without_stand_ins(without_comments(html))))
    return BeautifulSoup(written, "html.parser", preserve_whitespace_tags=kept)


def is_too_much(soup: BeautifulSoup) -> bool:
    """Return True if a document has more than `MAX_HTML_TAGS` elements, or if they are nested deeper than `DEEPEST`.

    Also if too much is in lists and quotations: each of them indents every line in it again.
    """
    count = indented = 0
    open_ends: list[tuple[PageElement | None, int]] = []  # each with the number of indenting elements around it
    for node in soup.descendants:
        while open_ends and open_ends[-1][0] is not node.parent:
            open_ends.pop()
        indents = open_ends[-1][1] if open_ends else 0
        if not isinstance(node, Tag):
            indented += indents * len(node)  # type: ignore[arg-type]
            continue
        count += 1
        indented += indents * _INDENTED_TAG
        open_ends.append((node, indents + (node.name in _INDENTING)))
        if count > MAX_HTML_TAGS or len(open_ends) > DEEPEST or indented > MAX_INDENTED:
            return True
    return False


def elements(soup: Tag, names: Collection[str]) -> list[Tag]:
    """Return the elements with these names, in less time than `find_all` and `select` take."""
    return [node for node in soup.descendants if isinstance(node, Tag) and node.name in names]


def tidy(soup: BeautifulSoup) -> None:
    for element in elements(soup, _OLD_NAMES):
        element.name = _OLD_NAMES[element.name]
    classes = {str(name) for node in soup.descendants if isinstance(node, Tag) for name in node.get("class") or ()}
    if any(name.startswith(("kg-", "wp-block-")) for name in classes):
        _unpack_cards(soup)
        for figure in soup.select("figure.wp-block-embed, div.wp-block-embed__wrapper"):
            _link_bare_urls(soup, figure)
    for link in elements(soup, {"a"}):
        if _PERMALINKS.isdisjoint(link.get("class") or ()) or link.get_text(strip=True) not in ("", "#", "¶"):
            _direct(link)
        else:
            link.decompose()
    for items in elements(soup, {"ol", "ul"}):
        if items.parent is not None and items.parent.name in ("ol", "ul"):
            _move_into_item(items)
    for line_break in reversed(elements(soup, {"br"})):
        _drop_at_end(line_break)
    for paragraph in elements(soup, {"p"}):
        has_elements = any(isinstance(child, Tag) for child in paragraph.children)
        if not has_elements and not paragraph.get_text().strip():
            paragraph.decompose()
    for heading in elements(soup, _HEADINGS):
        for bold in heading.find_all(["b", "strong"]):
            bold.unwrap()
    for items in elements(soup, {"ol"}):
        _number_items(items)
    for item in elements(soup, {"li"}):
        if item.parent is not None and item.parent.name == "ul":
            del item["value"]


def _direct(link: Tag) -> None:
    if link.has_attr("href"):
        link["href"] = direct_url(str(link["href"]))
        _unlink_image(link)


def _unpack_cards(soup: BeautifulSoup) -> None:
    """Replace the cards of the Ghost editor, and buttons, by plain paragraphs, quotations and players."""
    for card in soup.select("figure.kg-bookmark-card"):
        link = card.select_one("a[href]")
        title = card.select_one(".kg-bookmark-title")
        caption = card.find("figcaption")
        if link is None:
            continue
        words = (title or link).get_text(" ", strip=True)
        new = _new_tag(soup, "p", _new_tag(soup, "a", words, href=str(link["href"])))
        _add_line(soup, new, card.select_one(".kg-bookmark-description"))
        card.replace_with(new)
        if caption is not None:
            new.insert_after(caption.extract())
    for card in soup.select("div.kg-callout-card"):
        card.name = "blockquote"
        emoji, text = card.select_one(".kg-callout-emoji"), card.select_one(".kg-callout-text")
        if emoji is not None and text is not None:
            text.insert(0, NavigableString(f"{emoji.get_text(strip=True)} "))
            emoji.decompose()
    for toggle in soup.select(".kg-toggle-card"):
        _unpack_toggle(soup, toggle)
    for rating in soup.select(".kg-product-card-rating"):
        active = len(rating.select(".kg-product-card-rating-active"))
        rating.replace_with(_new_tag(soup, "p", "★" * active + "☆" * (5 - active)))
    for kind in ("audio", "video"):
        for card in soup.select(f".kg-{kind}-card"):
            player = card.find(kind)
            if player is not None:
                below = card.find("figcaption") or card.select_one(".kg-audio-title")
                card.replace_with(player.extract())
                if below is not None and below.get_text(strip=True):
                    below.name = "figcaption"
                    player.insert_after(below.extract())
    for card in soup.select(".kg-file-card"):
        link, title = card.select_one("a[href]"), card.select_one(".kg-file-card-title")
        if link is not None:
            words = (title or link).get_text(" ", strip=True) or "File"
            new = _new_tag(soup, "p", _new_tag(soup, "a", words, href=str(link["href"])))
            _add_line(soup, new, card.select_one(".kg-file-card-caption"))
            card.replace_with(new)
    for button in soup.select(".kg-button-card a, .kg-cta-button, .wp-block-button a"):
        button.wrap(soup.new_tag("p"))


def _unpack_toggle(soup: BeautifulSoup, toggle: Tag) -> None:
    """Make a toggle an element that readers open and close here, too."""
    heading, content = toggle.select_one(".kg-toggle-heading-text"), toggle.select_one(".kg-toggle-content")
    if heading is None or content is None:
        for icon in toggle.select("button, svg"):
            icon.decompose()
        return
    content.extract().name = "div"
    summary = _new_tag(soup, "summary", heading.get_text(" ", strip=True))
    toggle.clear()
    toggle.name = "details"
    toggle.extend([summary, content])


def _add_line(soup: BeautifulSoup, paragraph: Tag, element: Tag | None) -> None:
    """Add a line with the text of an element."""
    if element is not None and (words := element.get_text(" ", strip=True)):
        paragraph.extend([soup.new_tag("br"), NavigableString(words)])


def _new_tag(soup: BeautifulSoup, name: str, content: Any, **attributes: str) -> Tag:
    tag = soup.new_tag(name, attrs=attributes)
    tag.append(content)
    return tag


def _link_bare_urls(soup: BeautifulSoup, figure: Tag) -> None:
    """Make a link of a bare URL, which WordPress uses to embed a page."""
    for text in figure.find_all(string=re.compile(r"^\s*https?://\S+\s*$")):
        if text.find_parent("a") is None:
            url = text.strip()
            text.replace_with(_new_tag(soup, "p", _new_tag(soup, "a", url, href=url)))


def _unlink_image(link: Tag) -> None:
    """Remove the link from an image to an image file. If both are the same image, use the linked file."""
    inside = [node for node in link.contents if isinstance(node, Tag) or str(node).strip()]
    href = str(link["href"])
    if len(inside) != 1 or not isinstance(inside[0], Tag) or inside[0].name != "img":
        return
    if inside[0].get("src") == href or "mw-file-description" in (link.get("class") or ()):
        link.unwrap()
    elif IMAGE_URL.search(href) and _stem(href) == _stem(str(inside[0].get("src") or "")):
        inside[0]["src"] = href
        link.unwrap()


def _move_into_item(items: Tag) -> None:
    """Move a list directly in a list into the item before it, as Google Docs means it."""
    before = items.find_previous_sibling()
    if before is not None and before.name == "li":
        before.append(items.extract())
    else:
        items.wrap(Tag(name="li"))


def _stem(url: str) -> str:
    """Return the file name of an image without the size that WordPress adds, such as `-300x200`."""
    name = url.partition("?")[0].rpartition("/")[2].rpartition(".")[0]
    return re.sub(r"-(?:\d+x\d+|scaled)$", "", name)


def _drop_at_end(line_break: Tag) -> None:
    """Remove a line break with which a block ends, and blanks after it: they show nothing."""
    rest, block = line_break.next_sibling, line_break.parent
    is_blank = isinstance(rest, NavigableString) and not rest.strip("\xa0 \t\r\n") and rest.next_sibling is None
    ends_block = block is not None and block.name in BLOCKS and (rest is None or is_blank)
    if ends_block and line_break.find_parent("pre") is None:
        if rest is not None:
            rest.extract()
        line_break.decompose()


def _number_items(items: Tag) -> None:
    start = str(items.get("start") or "1")
    number = int(start) if re.fullmatch(r"\d{1,6}", start) else 1
    rows = items.find_all("li", recursive=False)
    given = [(str(item.get("value") or ""), str(at)) for at, item in enumerate(rows, number)]
    has_letters = str(items.get("type") or "1") in "aAiI"
    if items.has_attr("reversed") or has_letters or any(own.isdecimal() and own != counted for own, counted in given):
        items[OWN_NUMBERS] = ""
        return
    for item, (_, counted) in zip(rows, given, strict=True):
        item["value"] = counted
