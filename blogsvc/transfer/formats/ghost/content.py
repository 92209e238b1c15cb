"""Convert the documents of Ghost's editors, Lexical and Mobiledoc, to HTML, for posts without stored HTML."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from blogsvc.errors import TextRefused
from blogsvc.lib.workers import text_jobs
from blogsvc.transfer.formats import invalid_characters
from blogsvc.transfer.formats.parsed_post import MAX_TEXT_LENGTH, clean

# The bits of a text's format in Lexical, least significant first.
_FORMATS = ("strong", "em", "del", "u", "code", "sub", "sup")
_BLOCKS = {
    "paragraph": "p",
    "quote": "blockquote",
    "aside": "blockquote",
    "listitem": "li",
    "extended-quote": "blockquote",
}
# Why a post with such a part is a draft.
GATED = "The old blog showed a part of it to members alone. It is imported as a draft."
_GATE = re.compile(r"\bpaywall-jump\b|<!--\s*kg-gated-block:begin[^<>]{0,200}?\bnonMember:\s*false")
MAX_DEPTH = 40
MAX_URL_LENGTH = 2000  # characters, because many texts can refer to one URL
Tag = tuple[str, str]  # the name, and the opening tag


def html_of_lexical(text: str, warnings: list[str]) -> str:
    root = _loaded(text, warnings).get("root")
    return _lexical(root, warnings, 0) if isinstance(root, dict) else ""


def _loaded(text: str, warnings: list[str]) -> Mapping[str, Any]:
    if len(text) > MAX_TEXT_LENGTH:
        warnings.append(f"Its content has more than {MAX_TEXT_LENGTH // 1024**2} MiB and is not imported.")
        return {}
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        warnings.append("Its content cannot be read.")
        return {}
    return document


def _lexical(node: Any, warnings: list[str], depth: int) -> str:
    if not isinstance(node, dict) or depth > MAX_DEPTH:
        return ""
    children = node.get("children")
    inner = "".join(_lexical(child, warnings, depth + 1) for child in children) if isinstance(children, list) else ""
    kind = str(node.get("type", "")).removeprefix("extended-")
    if kind == "text":
        return _formatted(escape(str(node.get("text", ""))), node.get("format"))
    if kind in ("linebreak", "tab", "tk"):
        return {"linebreak": "<br>", "tab": " "}.get(kind) or escape(str(node.get("text", "")))
    if kind in ("link", "autolink"):
        return f'<a href="{escape(str(node.get("url", "")))}">{inner}</a>'
    if kind == "heading" and str(node.get("tag")) in ("h1", "h2", "h3", "h4", "h5", "h6"):
        return f"<{node['tag']}>{inner}</{node['tag']}>"
    if kind == "list":
        tag = "ol" if node.get("listType") == "number" else "ul"
        return f"<{tag}>{inner}</{tag}>"
    if kind in _BLOCKS:
        return f"<{_BLOCKS[kind]}>{inner}</{_BLOCKS[kind]}>"
    return inner if kind == "root" else _card(kind, node, warnings) or inner


def _formatted(text: str, bits: Any) -> str:
    for place, tag in enumerate(_FORMATS):
        if isinstance(bits, int) and bits & 1 << place:
            text = f"<{tag}>{text}</{tag}>"
    return text


def html_of_mobiledoc(text: str, warnings: list[str]) -> str:
    if not text:
        return ""
    document = _loaded(text, warnings)
    markups = [_tag_of(markup) for markup in _list(document.get("markups"))]
    parts, left = [], MAX_TEXT_LENGTH
    for section in _list(document.get("sections")):
        if left < 0:  # a section can refer to a card that was shown before
            warnings.append("Its text was cut to 4 MiB before it was converted.")
            break
        parts.append(_section(section, document, markups, warnings))
        left -= len(parts[-1])
    return "".join(parts)


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def _section(section: Any, document: Mapping[str, Any], markups: Sequence[Tag], warnings: list[str]) -> str:
    match section:
        case [1, str(tag), list(markers), *_] if tag in (
            "p",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "blockquote",
            "aside",
        ):
            tag = "blockquote" if tag == "aside" else tag
            return f"<{tag}>{_marked(markers, markups)}</{tag}>"
        case [3, ("ul" | "ol") as tag, list(items), *_]:
            return f"<{tag}>{''.join(f'<li>{_marked(_list(item), markups)}</li>' for item in items)}</{tag}>"
        case [10, int(number), *_]:
            cards = _list(document.get("cards"))
            card = cards[number] if 0 <= number < len(cards) else None
            match card:
                case [str(kind), dict(payload), *_]:
                    return _card(kind, payload, warnings)
    return ""


def _marked(markers: Sequence[Any], markups: Sequence[Tag]) -> str:
    """Convert text with markups. Each marker opens some markups and closes a number of them."""
    open_tags: list[str] = []
    html: list[str] = []
    for marker in markers:
        match marker:
            case [int(kind), list(opens), int(closes), value, *_]:
                for number in opens:
                    is_known = isinstance(number, int) and 0 <= number < len(markups)
                    tag, opening = markups[number] if is_known else ("span", "<span>")
                    html.append(opening)
                    open_tags.append(tag)
                html.append(escape(str(value)) if kind == 0 else "<br>")
                for _ in range(min(closes, len(open_tags))):
                    html.append(f"</{open_tags.pop()}>")
    return "".join([*html, *(f"</{tag}>" for tag in reversed(open_tags))])


def _tag_of(markup: Any) -> Tag:
    """Return the tag of a markup, such as ["a", ["href", "https://a.example"]]."""
    name = str(markup[0]) if isinstance(markup, list) and markup else "span"
    if name == "a":
        attributes = _list(markup[1]) if len(markup) > 1 else ()
        href = next((str(attributes[n + 1]) for n in range(0, len(attributes) - 1, 2) if attributes[n] == "href"), "")
        return name, f'<a href="{escape(href[:MAX_URL_LENGTH])}">'
    name = name if name in ("b", "strong", "i", "em", "code", "s", "u", "sub", "sup") else "span"
    return name, f"<{name}>"


def _card(kind: str, card: Mapping[str, Any], warnings: list[str]) -> str:
    """Convert a card. Both editors use the same names and fields."""

    def field(*names: str) -> str:
        return next((str(card[name]) for name in names if card.get(name)), "")

    seen_by = _seen_by(card)
    if seen_by == "members":
        warnings.append(GATED)
    elif seen_by == "nobody":
        warnings.append(f"A card of type {kind!r} was removed, because only e-mails showed it.")
        return ""
    caption = f"<figcaption>{field('caption')}</figcaption>" if field("caption") else ""
    match kind.removeprefix("card-"):
        case "markdown":
            warnings += invalid_characters.noted([field("markdown")])
            try:
                return text_jobs.render(clean(field("markdown")), language="")
            except TextRefused:
                return f"<pre>{escape(field('markdown'))}</pre>"
        case "html":
            return field("html")
        case "image":
            width = f"kg-width-{escape(field('cardWidth'))}"
            image = f'<img src="{escape(field("src"))}" alt="{escape(field("alt"))}">'
            image = f'<a href="{escape(field("href"))}">{image}</a>' if field("href") else image
            return f'<figure class="{width}">{image}{caption}</figure>'
        case "gallery":
            images = (image for image in _list(card.get("images")) if isinstance(image, dict))
            shown = (
                f'<img src="{escape(str(p.get("src", "")))}" alt="{escape(str(p.get("alt", "")))}">' for p in images
            )
            return f'<figure class="kg-gallery-card">{"".join(shown)}{caption}</figure>'
        case "code" | "codeblock":
            language = escape(field("language"))
            return f'<pre><code class="language-{language}">{escape(field("code"))}</code></pre>{caption}'
        case "hr" | "horizontalrule":
            return "<hr>"
        case "embed" | "bookmark":
            url, inside = field("url"), card.get("metadata")
            named = inside if isinstance(inside, dict) else {}
            name, told = str(named.get("title") or url), str(named.get("description") or "")
            told = f"<br>{escape(told)}" if told and kind.endswith("bookmark") else ""
            return f'<p><a href="{escape(url)}">{escape(name)}</a>{told}</p>{_line(field("caption"))}'
        case "product":
            words = f"<h4>{field('productTitle')}</h4>{field('productDescription')}"
            image = _image(field("productImageSrc"))
            return image + words + _button(field("productUrl"), field("productButton"))
        case "callout":
            return f"<blockquote>{escape(field('calloutEmoji'))} {field('calloutText')}</blockquote>"
        case "toggle":
            heading = f"<h4 class='kg-toggle-heading-text'>{field('heading')}</h4>"
            return f"<div class='kg-toggle-card'>{heading}<div class='kg-toggle-content'>{field('content')}</div></div>"
        case "call-to-action" | "header":
            words = field("textValue") or (
                f"<h2>{field('header', 'heading')}</h2><p>{field('subheader', 'subheading')}</p>"
            )
            return (
                _image(field("imageUrl", "backgroundImageSrc"))
                + words
                + _button(field("buttonUrl"), field("buttonText"))
            )
        case "button":
            return _button(field("buttonUrl"), field("buttonText"))
        case "video" | "audio" as player:
            title = _line(escape(field("title"))) if player == "audio" else ""
            return f'<{player} src="{escape(field("src"))}"></{player}>{title}{caption}'
        case "file":
            name, told = escape(field("fileTitle", "fileName")), escape(field("fileCaption"))
            told = f"<br>{told}" if told else ""
            return f'<p><a href="{escape(field("src"))}">{name}</a>{told}</p>'
        case "paywall" | "":
            return ""
    warnings.append(f"A card of type {kind!r} was removed.")
    return ""


def _image(url: str) -> str:
    return f'<p><img src="{escape(url)}" alt=""></p>' if url else ""


def _line(html: str) -> str:
    return f"<p>{html}</p>" if html else ""


def _seen_by(card: Mapping[str, Any]) -> str:
    """Return who sees a card on the web: "" for everybody, "members", or "nobody" if it is for e-mails alone."""
    visibility = card.get("visibility")
    web = visibility.get("web") if isinstance(visibility, dict) else None
    if not isinstance(web, dict) or web.get("nonMember") is not False:
        return ""
    return "members" if web.get("memberSegment") else "nobody"


def has_gate(html: str) -> bool:
    """Return True if a part of stored HTML is for members alone."""
    return _GATE.search(html) is not None


def _button(url: str, text: str) -> str:
    return f'<p><a href="{escape(url)}">{escape(text)}</a></p>' if url and text else ""
