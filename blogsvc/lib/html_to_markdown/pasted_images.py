"""Images of pasted HTML: lost ones, the largest file of each, emoji as characters, and a paragraph for each image."""

from __future__ import annotations

import re
from itertools import groupby

from bs4 import BeautifulSoup
from bs4.element import NavigableString, PageElement, Tag

from blogsvc.lib.html_to_markdown.tidying import BLOCKS

_LARGEST = 2560  # pixels; a wider file is larger than any screen shows
_EMOJI = {"emoji", "wp-smiley"}
_FORMULAS = {"latex", "mwe-math-fallback-image-inline"}  # classes of WordPress.com and Wikipedia
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
# Elements in which images stay where they are.
_KEEPING = frozenset("caption dd dt figcaption pre td th".split())
# Elements without text that are content of a paragraph.
_CONTENT = ("alertmark", "iframe", "img", "input")


def replace_emoji(soup: BeautifulSoup) -> None:
    """Replace the images of emoji by their characters."""
    for image in soup.find_all("img"):
        if image.get("data-emoji") or _EMOJI & set(image.get("class") or ()):
            image.replace_with(NavigableString(str(image.get("alt") or "")))


def tidy(soup: BeautifulSoup) -> int:
    """Use the largest file of each image, and remove trackers and images without a URL that can be loaded.

    Returns the number of visible images that were removed, without those that are data: the browser uploads them.
    """
    lost = 0
    removed = []
    for image in soup.find_all("img"):
        image["src"] = src = _largest(image)
        if _is_tracker(image):
            removed.append(image)
        elif not src.startswith(("https://", "http://", "/")):
            removed.append(image)
            lost += bool(src)  # the sanitiser removes the URLs of images that are data
    _remove(removed)
    return lost


def _largest(image: Tag) -> str:
    """Return the URL of the largest file of an image that is not too large."""
    src = str(image.get("src") or "").strip()
    files = re.findall(r"(https?://\S+)\s+(\d{1,5})w", str(image.get("srcset") or "")[:10_000])
    sizes = {url: int(width) for url, width in files if int(width) <= _LARGEST}
    found = max(sizes, key=lambda url: sizes[url]) if src in sizes else src
    return f"https:{found}" if found.startswith("//") else found


def _is_tracker(image: Tag) -> bool:
    return str(image.get("width")) in ("0", "1") and str(image.get("height")) in ("0", "1")


def separate(soup: BeautifulSoup) -> None:
    """Make each image a paragraph of its own: after the one that contains it, or before it if the image is first."""
    holders: dict[int, tuple[Tag, list[Tag]]] = {}
    for image in soup.find_all("img"):
        holder = _holder(image)
        if holder is not None and not _FORMULAS & set(image.get("class") or ()):
            holders.setdefault(id(holder), (holder, []))[1].append(image)
    for holder, images in holders.values():
        ids = {id(image) for image in images}
        contents = list(holder.contents)
        parts: list[PageElement] = []
        if holder.name == "p" or holder.name in _HEADINGS:
            parts = _separated(soup, holder.name, contents, ids)
            if parts != contents:
                holder.name = "div"
        else:
            for is_block, group in groupby(contents, _is_block):
                nodes = list(group)
                parts += nodes if is_block else _separated(soup, holder.name, nodes, ids)
        holder.clear()
        holder.extend(parts)


def _holder(image: Tag) -> Tag | None:
    """Return the block around an image, or None if the image stays where it is."""
    blocks = [tag for tag in image.parents if tag.name in BLOCKS or tag.parent is None]
    return None if any(block.name in _KEEPING for block in blocks) else blocks[0]


def _is_block(node: PageElement) -> bool:
    return isinstance(node, Tag) and node.name in BLOCKS


def _separated(soup: BeautifulSoup, holder: str, nodes: list[PageElement], ids: set[int]) -> list[PageElement]:
    """Return the paragraph or heading that consists of the nodes, and a paragraph for each image in it."""
    first: list[Tag] = []
    later: list[Tag] = []
    has_text = False
    for top in nodes:
        for node in (top, *top.descendants) if isinstance(top, Tag) else (top,):
            if id(node) in ids and isinstance(node, Tag):
                (later if has_text else first).append(node)
            else:
                has_text = has_text or (node.name in _CONTENT if isinstance(node, Tag) else bool(str(node).strip()))
    is_heading = holder in _HEADINGS
    if not (has_text or is_heading) and len(first) < 2:
        return nodes
    if has_text and (is_heading or holder == "li"):
        first, later = [], first + later
    block = soup.new_tag(holder if is_heading else "p")
    block.extend(nodes)
    links = {id(image): image.find_parent("a", href=True) for image in (*first, *later)}
    _remove([*first, *later])
    before, after = ([_paragraph(soup, image, links[id(image)]) for image in images] for images in (first, later))
    return [*before, block, *after]


def _paragraph(soup: BeautifulSoup, image: Tag, link: Tag | None) -> Tag:
    paragraph = soup.new_tag("p")
    paragraph.append(image.extract())
    if link is not None:
        image.wrap(soup.new_tag("a", attrs={"href": str(link["href"])}))
    return paragraph


def _remove(images: list[Tag]) -> None:
    """Remove images with the inline elements that contain nothing else, and repeated spaces around them.

    `Tag.extract` of each image would search the contents of its parent each time.
    """
    parents: dict[int, Tag] = {}
    removed: set[int] = set()
    for image in images:
        outer = image
        while _is_alone(outer) and outer.parent is not None:
            outer = outer.parent
        removed.add(id(outer))
        if outer.parent is not None:
            parents[id(outer.parent)] = outer.parent
    for parent in parents.values():
        kept = _without(removed, parent)
        parent.clear()
        parent.extend(kept)


def _is_alone(node: Tag) -> bool:
    """Return True if an inline element contains this node and nothing else."""
    parent = node.parent
    if parent is None or parent.parent is None or parent.name in BLOCKS:
        return False
    return all(child is node or _is_blank(child) for child in parent.contents)


def _without(removed: set[int], parent: Tag) -> list[PageElement]:
    """Return the contents of an element without some nodes, and with one space or line break there."""
    kept: list[PageElement] = []
    is_gap = False
    for node in parent.contents:
        if id(node) in removed:
            is_gap = True
            continue
        if is_gap and isinstance(node, NavigableString):
            if _ends_with_space(kept, parent):
                node = NavigableString(node.lstrip())
            elif node[:1].isalnum():  # the image was between two words
                node = NavigableString(f" {node}")
        elif is_gap and isinstance(node, Tag):
            if node.name == "br" or node.get_text()[:1].isspace():
                _strip_end(kept)
            if node.name == "br" and _ends_with_space(kept, parent):
                continue
        if str(node):
            kept.append(node)
            is_gap = False
    following = parent.next_sibling
    if is_gap and isinstance(following, NavigableString) and following[:1].isspace():
        _strip_end(kept)
    return kept


def _ends_with_space(nodes: list[PageElement], parent: Tag) -> bool:
    """Return True if a space after these first nodes of an element would have no effect."""
    if not nodes and parent.name in BLOCKS:
        return True
    last = nodes[-1] if nodes else parent.previous_sibling
    return last.name in ("alertmark", "br") if isinstance(last, Tag) else str(last or "")[-1:].isspace()


def _strip_end(nodes: list[PageElement]) -> None:
    """Remove the spaces at the end of the last node if it is text."""
    if nodes and isinstance(nodes[-1], NavigableString):
        text = str(nodes.pop()).rstrip()
        nodes += [NavigableString(text)] if text else []


def _is_blank(node: PageElement) -> bool:
    return not isinstance(node, Tag) and not str(node).strip()
