"""Convert an article to WordPress blocks, so that WordPress adds, runs and misreads nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from urllib.parse import urlsplit

from blogsvc.connectors._kit import portable
from blogsvc.connectors._kit.images import relink
from blogsvc.connectors.base import Article

ALONE_IN_ITS_LINE = re.compile(r'^([ \t]*https?:)//([^\s<>"]+[ \t]*)$', re.MULTILINE)
A_TAG_OR_ENTITY = re.compile(r"<|&(?=#?\w+;)")
# Matches tags of sanitised HTML only: attributes have double quotes, and elements are closed.
HTML_TAG = re.compile(r'<(/?)([a-z][a-z0-9]*)((?:\s+[^\s"=>]+(?:="[^"]*")?)*)\s*/?>')
VOID_ELEMENTS = frozenset({"br", "hr", "img", "source"})
CODE_BLOCK = re.compile(r'<pre><code(?: class="(language-[\w+#-]+)")?>(.*)</code></pre>', re.DOTALL)
ALIGN = re.compile(r'(<t[hd]\b[^<>]*?) align="(left|center|right)"')
# An image alone, perhaps linked: as a paragraph, or as a figure that may have a caption.
_IMAGE = r'(?P<image>(?:<a(?: [a-z]+="[^"]*")+>)?<img(?: [a-z]+="[^"]*")+>(?:</a>)?)'
IMAGE_PARAGRAPH = re.compile(f"<p>{_IMAGE}</p>")
IMAGE_FIGURE = re.compile(
    rf'<figure(?: class="(?P<width>full|wide)")?>\s*{_IMAGE}\s*'
    r"(?:<figcaption>(?P<caption>(?:(?!</?figcaption\b).)*+)</figcaption>)?\s*</figure>",
    re.DOTALL,
)
GALLERY = re.compile(
    r'<figure class="gallery wide">(?P<images>(?:<a(?: [a-z]+="[^"]*")+><img(?: [a-z]+="[^"]*")+></a>)+)'
    r"(?:<figcaption>(?P<caption>(?:(?!</?figcaption\b).)*+)</figcaption>)?</figure>",
    re.DOTALL,
)
LINKED_IMAGE = re.compile(r'<a href="(?P<href>[^"]*)"[^>]*>(?P<image><img[^>]*? src="(?P<src>[^"]*)"[^>]*>)</a>')
CLASSES = {"figure": {"full", "gallery", "wide"}}  # that `blocks` reads
SIZE = re.compile(r' (?:width|height)="[^"]*"')  # WordPress sets it for images in its library
END = "\n<!-- /wp:html -->"


def content(article: Article) -> str:
    """Return the text in blocks, with a link to the original.

    Blocks let themes style the text, and stop WordPress from adding line breaks. The last block is there also without
    a link: it holds the mark by which copies are found (`marked`).
    """
    return (
        quiet(blocks(portable.html(article.html, classes=CLASSES)))
        + "\n\n<!-- wp:html -->\n"
        + _original_link(article)
        + END
    )


def marked(html: str, mark: str) -> str:
    """Return the content with an invisible mark in its last block, where editors leave it unchanged."""
    return f"{html.removesuffix(END)}\n{mark}{END}"


def quiet(html: str) -> str:
    """Escape shortcodes, and URLs on a line of their own, which WordPress would embed."""
    return ALONE_IN_ITS_LINE.sub(r"\1&#47;&#47;\2", html.replace("[", "&#91;"))


def plain(text: str) -> str:
    """Escape text for fields that WordPress reads as HTML."""
    return A_TAG_OR_ENTITY.sub(lambda found: "&lt;" if found[0] == "<" else "&amp;", text)


def with_image(html: str, url: str, library_url: str, number: int) -> str:
    """Return the HTML with an image from the library. WordPress adds smaller sizes because of the class."""
    here, source = (escape(one, quote=False).replace("[", "&#91;") for one in (url, library_url))
    html = relink(html, {here: source}).replace(f'src="{source}"', f'src="{source}" class="wp-image-{number}"')
    alone = re.compile(
        r'<!-- wp:image (?:\{("align":"[a-z]+")\} )?-->(?=\n<figure[^>]*>(?:<a[^>]*>)?<img [^<]*\bwp-image-'
        + f'{number}")'
    )
    return alone.sub(lambda block: _with_id(number, block[1]), html)


def _with_id(number: int, align: str | None) -> str:
    """Return the comment of an image block with the number of the image, and perhaps an alignment."""
    attributes = f'"id":{number},{align}' if align else f'"id":{number}'
    return f"<!-- wp:image {{{attributes}}} -->"


def blocks(html: str) -> str:
    """Return each element as a block of WordPress' editor, or as an HTML block if it has none."""
    return "\n\n".join(_block(name, element) for name, element in _elements(html))


def _elements(html: str) -> Iterator[tuple[str, str]]:
    """Yield the top-level elements with their names, "" for text between them."""
    depth = start = 0
    for tag in HTML_TAG.finditer(html):
        is_end, name = bool(tag[1]), tag[2]
        if depth == 0 and not is_end:
            yield from _words(html[start : tag.start()])
            start = tag.start()
        depth += (-1 if is_end else 1) * (name not in VOID_ELEMENTS)
        if depth == 0:
            yield HTML_TAG.match(html, start)[2], html[start : tag.end()]  # type: ignore[index]
            start = tag.end()
    yield from _words(html[start:])


def _words(text: str) -> Iterator[tuple[str, str]]:
    if text.strip():
        yield "", text.strip()


def _block(name: str, element: str) -> str:
    if name == "p" and (image := IMAGE_PARAGRAPH.fullmatch(element)):
        return _image_block(image["image"])
    if name == "figure" and (figure := IMAGE_FIGURE.fullmatch(element)):
        return _image_block(figure["image"], figure["caption"] or "", figure["width"] or "")
    if name == "p":
        return _commented("paragraph", element)
    if name == "figure" and (gallery := GALLERY.fullmatch(element)):
        return _gallery_block(gallery["images"], gallery["caption"])
    if re.fullmatch("h[2-6]", name):
        level = "" if name == "h2" else f' {{"level":{name[1]}}}'
        return _commented("heading", element.replace(f"<{name}", f'<{name} class="wp-block-heading"', 1), level)
    if name == "hr":
        return _commented("separator", '<hr class="wp-block-separator has-alpha-channel-opacity"/>')
    if name == "table":
        table = ALIGN.sub(r'\1 class="has-text-align-\2" data-align="\2"', element)
        return _commented("table", f'<figure class="wp-block-table">{table}</figure>', ' {"hasFixedLayout":false}')
    if name == "pre" and (code := CODE_BLOCK.fullmatch(element)):
        return _code_block(code[1] or "", code[2])
    if name == "blockquote" and element.startswith("<blockquote>"):
        within = blocks(element.removeprefix("<blockquote>").removesuffix("</blockquote>"))
        return _commented("quote", f'<blockquote class="wp-block-quote">{within}</blockquote>')
    return _commented("html", element)


def _image_block(image: str, caption: str = "", width: str = "") -> str:
    attributes, align = (f' {{"align":"{width}"}}', f" align{width}") if width else ("", "")
    below = f'<figcaption class="wp-element-caption">{caption}</figcaption>' if caption else ""
    html = f'<figure class="wp-block-image{align}">{SIZE.sub("", image)}{below}</figure>'
    return _commented("image", html, attributes)


def _gallery_block(images: str, caption: str | None) -> str:
    """Return a gallery. An image links to a page that the author chose, but not to its own file."""
    found = LINKED_IMAGE.finditer(images)
    blocks = "\n\n".join(_image_block(one["image"] if one["href"] == one["src"] else one[0]) for one in found)
    below = f'<figcaption class="blocks-gallery-caption wp-element-caption">{caption}</figcaption>' if caption else ""
    classes = "wp-block-gallery alignwide has-nested-images columns-default is-cropped"
    html = f'<figure class="{classes}">{blocks}{below}</figure>'
    return _commented("gallery", html, ' {"linkTo":"none","align":"wide"}')


def _code_block(language: str, code: str) -> str:
    attributes = f' {{"className":"{language}"}}' if language else ""
    classes = f"wp-block-code {language}".strip()
    return _commented("code", f'<pre class="{classes}"><code>{code}</code></pre>', attributes)


def _commented(kind: str, html: str, attributes: str = "") -> str:
    return f"<!-- wp:{kind}{attributes} -->\n{html}\n<!-- /wp:{kind} -->"


def _original_link(article: Article) -> str:
    if not article.canonical_url:
        return ""
    host = escape(urlsplit(article.canonical_url).netloc)
    return f'<p><em>Originally published at <a href="{escape(article.canonical_url)}">{host}</a>.</em></p>'
