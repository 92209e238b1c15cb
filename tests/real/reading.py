"""What a reader gets of HTML: each word with the elements around it, images, and where links lead."""

from __future__ import annotations

from collections.abc import Iterator

from bs4 import BeautifulSoup, NavigableString, Tag

SAME = {"b": "strong", "i": "em", "del": "s", "ins": "u", "h1": "h2"}
# Elements that say nothing to a reader by themselves, or that the words of a page say as well.
SILENT = frozenset({"[document]", "article", "body", "div", "figure", "html", "main", "p", "section", "tbody"})
SAID = ("align", "dir", "href", "lang", "open", "start", "title", "value")


def reading(html: str) -> list[str]:
    """Return one line for each word, image, rule and recording, in the order of the page."""
    return list(_lines(BeautifulSoup(html, "html.parser")))


def dead_links(html: str) -> list[str]:
    """Return the links within the page that lead nowhere."""
    soup = BeautifulSoup(html, "html.parser")
    ids = {f"#{one['id']}" for one in soup.find_all(id=True)}
    links = [str(link["href"]) for link in soup.find_all("a", href=True)]
    return [link for link in links if link.startswith("#") and link not in ids]


def _lines(soup: BeautifulSoup) -> Iterator[str]:
    for part in soup.descendants:
        if isinstance(part, Tag):
            if part.name in ("img", "audio", "video", "hr", "iframe"):
                yield f"{_around(part)} <{part.name} {part.get('src', '')} {part.get('alt', '')}>"
        elif type(part) is NavigableString:
            around = _around(part)
            yield from (f"{around} {word}" for word in _words(part))


def _words(text: NavigableString) -> list[str]:
    """Return the words. A word that touches its neighbour in another element says so, so that no space is lost."""
    words = text.split()
    if words and not text[0].isspace() and isinstance(before := text.previous_sibling, Tag) and before.get_text():
        words[0] = f"‿{words[0]}"
    return words


def _around(part: Tag | NavigableString) -> str:
    elements = [one for one in part.parents if one.name not in SILENT]
    names = sorted(f"{SAME.get(one.name, one.name)}{_said(one)}" for one in elements)
    return " ".join(names)


def _said(element: Tag) -> str:
    said = [f"{name}={str(element[name]).rstrip('/')}" for name in SAID if name in element.attrs]
    if element.name == "a":
        said = [one for one in said if not one.startswith("title=")]
    return f"[{' '.join(said)}]" if said else ""
