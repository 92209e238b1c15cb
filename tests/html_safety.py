"""Find what a browser or a feed reader could run, or be confused by, in HTML with an author's text."""

import json
import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

import html5lib

HTML = "{http://www.w3.org/1999/xhtml}"
SCRIPT_CAPABLE = re.compile(
    "script|style|iframe|frame|frameset|object|embed|applet|form|button|textarea|select|meta|base|"
    "link|template|noscript|svg|math|title|xmp|plaintext|noembed|noframes|portal|marquee|isindex|"
    "keygen|foreignobject",
    re.IGNORECASE,
)
URLS = (
    "href",
    "src",
    "cite",
    "poster",
    "action",
    "formaction",
    "data",
    "background",
    "srcset",
    "ping",
    "longdesc",
)
FORBIDDEN = (
    "style",
    "srcdoc",
    "name",
    "form",
    "action",
    "formaction",
    "target",
    "srcset",
    "ping",
    "is",
    "slot",
)
OUR_SCRIPT = re.compile(r"/static/[a-z-]+\.js(?:\?v=[\w-]+)?")
SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)


def dangers(html):
    """Return what a browser could run or be confused by in `html`."""
    tree = html5lib.parseFragment(f'<div id="page">{html}</div><p id="after"></p>', container="div")
    found = [] if [child.get("id") for child in tree] == ["page", "after"] else ["broke out of its place"]
    again = html5lib.parseFragment(html5lib.serialize(tree, omit_optional_tags=False), container="div")
    for root in (tree, again):
        found += [fault for element in root.iter() for fault in _faults(element)]
    return found


def _faults(element):
    if not isinstance(element.tag, str):
        return ["comment"]
    faults = []
    name = element.tag.removeprefix(HTML)
    if not element.tag.startswith(HTML) and element.tag != "DOCUMENT_FRAGMENT":
        faults.append(f"foreign {element.tag}")
    if SCRIPT_CAPABLE.fullmatch(name):
        faults.append(f"<{name}>")
    for attribute, value in element.attrib.items():
        attribute = str(attribute).lower()
        if attribute.startswith("on") or attribute in FORBIDDEN:
            faults.append(attribute)
        if attribute == "id" and value not in ("page", "after") and not value.startswith("in-"):
            faults.append(f"id {value}")
        if attribute in URLS or "href" in attribute:
            faults += scheme_faults(value)
    return faults


def scheme_faults(url):
    # Browsers strip control characters and spaces at the ends, and tabs and newlines everywhere.
    scheme = SCHEME.match(re.sub(r"[\x00-\x20\x7f-\x9f]", "", url))
    return [url] if scheme and scheme[1].lower() not in ("http", "https", "mailto", "tel") else []


def shapes(page: Element) -> set[tuple[str, frozenset[str]]]:
    """Return the elements of a page outside the author's text, by tag and attributes: those of our templates."""
    return {(element.tag, frozenset(element.attrib)) for element in _outside(page) if isinstance(element.tag, str)}


def _script_faults(script: Element) -> list[str]:
    """Return what is wrong with a script of a page: it is one of our files, or data for search engines."""
    words = "".join(script.itertext())
    if script.get("src"):
        is_ours = OUR_SCRIPT.fullmatch(script.get("src"))
        return [] if is_ours and not words else [f"<script src={script.get('src')}>{words}"]
    if script.get("type") != "application/ld+json":
        return [f"<script>{words}"]
    json.loads(words)
    return []


def _is_text(element: Element) -> bool:
    return "e-content" in element.get("class", "").split()


def _outside(element: Element) -> Iterator[Element]:
    yield element
    if not _is_text(element):
        for child in element:
            yield from _outside(child)


def dangers_of_page(page: Element, ours: set[tuple[str, frozenset[str]]]) -> list[str]:
    """Return elements that are not in our templates (`shapes` of harmless pages), and what is dangerous anywhere."""
    found = [f"<{tag} {' '.join(sorted(names))}>" for tag, names in shapes(page) - ours]
    for element in _outside(page):
        addresses = [value for name, value in element.attrib.items() if name in URLS]
        if element.get("property") in ("og:url", "og:image"):
            addresses.append(element.get("content"))
        found += [fault for address in addresses for fault in scheme_faults(address)]
        if element.tag == "script":
            found += _script_faults(element)
    for text in filter(_is_text, page.iter()):
        found += dangers("".join(html5lib.serialize(child, omit_optional_tags=False) for child in text))
    return found
