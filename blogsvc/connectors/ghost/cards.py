"""Prepare HTML for Ghost's editor, which keeps only simple elements and its own cards. All others become HTML cards.

What it keeps was tried with Ghost 6.65; `tests/real/test_ghost.py` compares what readers see with what was written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString

from blogsvc.connectors.ghost.elements import (
    LISTS,
    are_inline,
    is_code,
    is_list,
    is_paragraph,
    is_plain,
    is_space,
    kept_content,
    kept_form,
    name_of,
    paragraphs_of,
    parts_of,
    written,
)

BEGIN, END = "<!--kg-card-begin: html-->", "<!--kg-card-end: html-->"
HEADINGS = ("h2", "h3", "h4", "h5", "h6")
# The colour and the emoji of the callout card for an alert, by its class.
CALLOUTS = {
    "markdown-alert-note": ("blue", "ℹ️"),
    "markdown-alert-tip": ("green", "💡"),
    "markdown-alert-important": ("purple", "❗"),
    "markdown-alert-warning": ("yellow", "⚠️"),
    "markdown-alert-caution": ("red", "🛑"),
}

# The classes that `editor_html` reads, by the tag.
CLASSES = {"blockquote": CALLOUTS.keys(), "figure": {"full", "gallery", "wide"}}
IN_GALLERY = 9  # images


def editor_html(html: str, sizes: Mapping[str, tuple[int, int]] | None = None) -> str:
    """Return sanitised HTML of which the editor loses nothing: simple elements, and cards for all others.

    A quotation with a class of `CALLOUTS` is an alert. The class of a figure is its width, or it is a gallery.

    Args:
        sizes: the widths and heights of images, by their URLs, without which Ghost shows no image of a gallery.
    """
    soup = BeautifulSoup(html, "html.parser")
    for image in soup.select("figure.gallery img"):
        if (size := (sizes or {}).get(str(image.get("src")))) is not None:
            image["width"], image["height"] = map(str, size)
    targets = {str(link["href"])[1:] for link in soup.find_all("a", href=True) if str(link["href"]).startswith("#")}
    return "\n".join(_blocks(soup, targets))


def _blocks(soup: BeautifulSoup, targets: Collection[str]) -> Iterator[str]:
    """Yield simple elements as they are, and neighbours that are not simple in one HTML card."""
    card: list[str] = []
    before = ""
    classes = {id(one): one.attrs.pop("class")[0] for one in soup.find_all(list(CLASSES), class_=True)}
    for child in soup.children:
        if is_space(child):
            continue
        is_joined = before in LISTS and before == name_of(child)  # the editor would join two lists
        simple = None if is_joined else _simple(child, targets, classes.get(id(child), ""))
        before = name_of(child) if simple else ""
        if simple is None:
            card.append(written(child))
        else:
            yield from _card(card)
            card = []
            yield simple
    yield from _card(card)


def _card(elements: list[str]) -> Iterator[str]:
    if elements:
        yield f"{BEGIN}\n" + "\n".join(elements) + f"\n{END}"


def _simple(child: Any, targets: Collection[str], kind: str) -> str | None:
    """Return an element in the form that the editor keeps; None without one. `kind` is its class, "" without one."""
    if isinstance(child, NavigableString):
        return written(child)
    if kind in CALLOUTS and (callout := _callout(child, kind)):
        return callout
    if kind == "gallery" and (gallery := _gallery(child)):
        return gallery
    if child.name in ("p", "figure") and (image := _image(child, kind)):
        return image
    if child.name == "details":
        return _toggle(child)
    return kept_form(child) if _is_kept(child, targets) else None


def _is_kept(element: Tag, targets: Collection[str]) -> bool:
    name = element.name
    if name == "hr":
        return is_plain(element)
    if name == "pre":
        return is_code(element)
    if name == "blockquote":
        return bool(paragraphs_of(element))
    if name in HEADINGS and element.get("id") not in targets:
        return is_plain(element, ("id",)) and are_inline(element.children)
    return is_paragraph(element, name) if name in ("p", *HEADINGS) else is_list(element)


def _callout(quotation: Tag, alert: str) -> str | None:
    """Return the callout card for an alert, or None if it has more than paragraphs: a callout has only text.

    Ghost ignores the classes of the alert. They are for the preview.
    """
    if not (paragraphs := paragraphs_of(quotation)):
        return None
    color, emoji = CALLOUTS[alert]
    title, *rest = map(kept_content, paragraphs)
    text = "<br>".join(filter(None, (title, "<br><br>".join(rest))))
    return (
        f'<div class="kg-card kg-callout-card kg-callout-card-{color} markdown-alert {alert}">'
        f'<div class="kg-callout-emoji">{emoji}</div><div class="kg-callout-text">{text}</div></div>'
    )


def _toggle(details: Tag) -> str | None:
    """Return the toggle card for a collapsible section, or None if it has more than one paragraph of plain text.

    Ghost reads only the characters of the two texts, and shows them as HTML. An open section stays an HTML card,
    because a toggle card is always closed at first.
    """
    parts = parts_of(details)
    if details.attrs or [name_of(one) for one in parts] not in (["summary", "p"], ["summary", ""]):
        return None
    heading, text = map(_plain_text, parts)
    if not heading or not text:
        return None
    return (
        '<div class="kg-card kg-toggle-card" data-kg-toggle-state="close"><div class="kg-toggle-heading">'
        f'<h4 class="kg-toggle-heading-text">{heading}</h4></div>'
        f'<div class="kg-toggle-content">{text}</div></div>'
    )


def _plain_text(part: Any) -> str:
    """Return a text, or that of an element with nothing else, if its characters mean the same in HTML; else ""."""
    if isinstance(part, Tag) and not part.attrs and len(part.contents) == 1:
        part = part.contents[0]
    return written(part) if isinstance(part, NavigableString) and not {"<", "&"} & set(part) else ""


def _gallery(figure: Tag) -> str | None:
    """Return gallery cards, or a card for each image if the size of one is not known; None if it has anything else."""
    parts = parts_of(figure)
    caption = parts.pop() if name_of(parts[-1]) == "figcaption" else None
    images = list(map(_without_own_link, parts))
    if not images or not all(map(_is_image, images)) or (caption and not is_paragraph(caption, "figcaption")):
        return None
    below = written(caption) if caption else ""
    if all(one.get("width") and one.get("height") for one in figure.find_all("img")):
        groups = [images[at : at + IN_GALLERY] for at in range(0, len(images), IN_GALLERY)]
        card = "kg-card kg-gallery-card kg-width-wide"
    else:
        groups, card = [[image] for image in images], "kg-card kg-image-card"
    cards = ["".join(map(written, group)) + below * (group is groups[-1]) for group in groups]
    return "\n".join(f'<figure class="{card}">{one}</figure>' for one in cards)


def _without_own_link(part: Any) -> Any:
    """Return an image without the link to its own file, which Ghost opens as well."""
    image: Any = part.contents[0] if name_of(part) == "a" and len(part.contents) == 1 else None
    return image if name_of(image) == "img" and image.get("src") == part.get("href") else part


def _image(element: Tag, width: str) -> str | None:
    """Return an image card for an image alone, perhaps linked and with a caption."""
    parts = parts_of(element)
    caption = parts.pop() if len(parts) == 2 and name_of(parts[1]) == "figcaption" else None
    if element.attrs or len(parts) != 1 or (caption and not is_paragraph(caption, "figcaption")):
        return None
    if not _is_image(parts[0]):
        return None
    card = f' class="kg-card kg-image-card kg-width-{width}"' if width else ""
    return f"<figure{card}>{''.join(map(written, filter(None, (parts[0], caption))))}</figure>"


def _is_image(part: Any) -> bool:
    """Return True for an image that the editor keeps, perhaps in a link."""
    if name_of(part) == "a" and set(part.attrs) <= {"href"} and len(part.contents) == 1:
        part = part.contents[0]
    return name_of(part) == "img" and set(part.attrs) <= {"src", "alt", "title", "width", "height"}
