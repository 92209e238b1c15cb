"""Figures: their image or code gets the caption and the width, so that all of it becomes Markdown."""

from __future__ import annotations

import re

from bs4 import BeautifulSoup
from bs4.element import NavigableString, PageElement, Tag

from blogsvc.lib.html_to_markdown.tidying import elements
from blogsvc.lib.markdown.languages import LANGUAGES

# Attributes of an image or a code block, for the converter.
CAPTION, WIDTH = "figure-caption", "figure-width"
_WIDTHS = {
    "wide": "wide", "alignwide": "wide", "kg-width-wide": "wide",
    "full": "full", "alignfull": "full", "kg-width-full": "full",
}  # fmt: skip
_GALLERIES = frozenset({"wp-block-gallery", "kg-gallery-card"})
_BACKGROUND = re.compile(
    r"""\bbackground(?:-image)?\s{0,9}:[^;]{0,200}?\burl\(\s{0,9}["']?((?:https?://|/)[^"'()\s]{1,2000}+)""",
    re.IGNORECASE,
)
# Elements that may be around a whole caption, and then are left out.
_AROUND = ("cite", "em", "i", "p", "small", "span")


def mark(soup: BeautifulSoup) -> None:
    """Give images the captions and widths of their figures.

    A caption with links or other markup stays below the image, because the title of an image is plain text.
    """
    for contents in elements(soup, {"nav"}):
        if "toc" in (contents.get("class") or ()):
            contents.replace_with(soup.new_tag("toc"))
    for gallery in [one for one in soup.descendants if isinstance(one, Tag) and _is_gallery(one)]:
        _unpack_gallery(soup, gallery)
    for table in elements(soup, {"table"}):
        if "tr-caption-container" in (table.get("class") or ()):
            _unpack_captioned(soup, table)
    for figure in elements(soup, {"figure"}):
        if "code" in (figure.get("class") or ()):
            _name_code(figure)
            continue
        captions = figure.find_all("figcaption", recursive=False)
        image = _image_alone([part for part in _parts(figure) if getattr(part, "name", None) != "figcaption"])
        if image is None or len(captions) > 1:
            continue
        if width := next((_WIDTHS[name] for name in figure.get("class") or () if name in _WIDTHS), ""):
            image[WIDTH] = width
        # Elsewhere, an image with a title need not be a paragraph of its own, which would show the title.
        if captions and figure.find_parent(["li", "td", "th"]) is None and (text := _plain_text(captions[0])):
            image[CAPTION] = text
            captions[0].decompose()


def _is_gallery(element: Tag) -> bool:
    classes = element.get("class") or ()
    return not _GALLERIES.isdisjoint(classes) or (element.name == "figure" and "gallery" in classes)


def _unpack_gallery(soup: BeautifulSoup, gallery: Tag) -> None:
    """Replace a gallery by an element with a line for each image, and a paragraph for each caption.

    The captions of the images become their titles, except those with markup. Any other text follows the gallery.
    """
    images = gallery.find_all("img")
    if not images:
        return
    for figure in gallery.find_all("figure"):
        image, caption = figure.find("img"), figure.find("figcaption", recursive=False)
        if image is not None and caption is not None and (text := _plain_text(caption)):
            image[CAPTION] = text
            caption.decompose()
    lines = soup.new_tag("p")
    for image in images:
        link = image.parent if image.parent is not None and image.parent.name == "a" else None
        lines.extend([soup.new_tag("newline")] if lines.contents else [])
        lines.append((link or image).extract())
    new = soup.new_tag("gallery")
    new.append(lines)
    for caption in gallery.find_all("figcaption"):
        caption.name = "p"
        new.append(caption.extract())
    gallery.insert_before(new)
    gallery.name = "div"


def show_backgrounds(soup: BeautifulSoup) -> None:
    """Show the images behind covers and other blocks, which styles name, above the words of these."""
    for element in [one for one in soup.descendants if isinstance(one, Tag) and "url(" in str(one.get("style") or "")]:
        found = _BACKGROUND.search(str(element["style"]))
        if found and element.find("img", src=found[1]) is None:
            paragraph = soup.new_tag("p")
            paragraph.append(soup.new_tag("img", attrs={"src": found[1], "alt": str(element.get("aria-label") or "")}))
            element.insert(0, paragraph)


def _unpack_captioned(soup: BeautifulSoup, table: Tag) -> None:
    """Replace the table that Blogger puts around an image and its caption by a figure."""
    cells = [cell for cell in table.find_all("td") if cell.find_parent("table") is table]
    image, captions = (cells[0], cells[1:]) if cells else (None, [])
    if image is None or image.find("img") is None or len(captions) > 1:
        return
    figure = soup.new_tag("figure")
    figure.extend(list(image.contents))
    for cell in captions:
        caption = soup.new_tag("figcaption")
        caption.extend(list(cell.contents))
        figure.append(caption)
    table.replace_with(figure)


def _name_code(figure: Tag) -> None:
    """Give a code block the file name in its bar. The language there, as on our pages, is that of the code."""
    bar, code = figure.find("figcaption", recursive=False), figure.find("pre", recursive=False)
    if bar is None or code is None:
        return
    for button in bar.find_all("button"):
        button.decompose()
    classes = (name for tag in code.find_all("code") for name in tag.get("class") or ())
    language = next((LANGUAGES[name[9:]] for name in classes if name[9:] in LANGUAGES), "")
    code[CAPTION] = " ".join(bar.stripped_strings).removesuffix(language).strip()
    bar.decompose()


def show_caption(element: Tag) -> None:
    """Write the caption of an image, or of code, as an element again."""
    if caption := str(element.get(CAPTION) or ""):
        new = Tag(name="figcaption")
        new.append(NavigableString(caption))
        if element.find_parent("figure") is None:
            element.wrap(Tag(name="figure"))
        element.insert_after(new)


def _parts(element: Tag) -> list[PageElement]:
    return [part for part in element.contents if isinstance(part, Tag) or str(part).strip()]


def _image_alone(parts: list[PageElement]) -> Tag | None:
    """Return the image that is the only part, perhaps in a link."""
    while len(parts) == 1 and isinstance(part := parts[0], Tag):
        if part.name == "img":
            return part
        if part.name not in ("a", "div", "picture", "span"):
            break
        parts = [one for one in _parts(part) if not (isinstance(one, Tag) and one.name == "source")]
    return None


def _plain_text(caption: Tag) -> str:
    """Return the text of a caption, or "" if it has markup."""
    parts = _parts(caption)
    while len(parts) == 1 and isinstance(part := parts[0], Tag) and part.name in _AROUND:
        parts = _parts(part)
    is_plain = not any(isinstance(part, Tag) for part in parts)
    return " ".join("".join(map(str, parts)).split()) if is_plain else ""
