"""An article's words as WordPress takes them: nothing added, nothing run, nothing read as HTML that is none."""

from __future__ import annotations

import re
from html import escape
from urllib.parse import urlsplit

from blogsvc.connectors import portable
from blogsvc.connectors.base import Article
from blogsvc.connectors.pictures import relink

ALONE_IN_ITS_LINE = re.compile(r'^([ \t]*https?:)//([^\s<>"]+[ \t]*)$', re.MULTILINE)
A_TAG_OR_ENTITY = re.compile(r"<|&(?=#?\w+;)")


def content(article: Article) -> str:
    """The text as one block of HTML, so that WordPress adds no line breaks of its own, with a link home."""
    parts = [portable.html(article.html).strip()]
    if article.canonical_url:
        host = urlsplit(article.canonical_url).netloc
        link = f'<a href="{escape(article.canonical_url)}">{escape(host)}</a>'
        parts.append(f"<p><em>Originally published at {link}.</em></p>")
    return "<!-- wp:html -->\n" + quiet("\n".join(parts)) + "\n<!-- /wp:html -->"


def quiet(html: str) -> str:
    """HTML in which WordPress finds no shortcode to run and no bare address to embed, as its own editor writes it."""
    return ALONE_IN_ITS_LINE.sub(r"\1&#47;&#47;\2", html.replace("[", "&#91;"))


def plain(text: str) -> str:
    """Words as they are, where WordPress would read HTML."""
    return A_TAG_OR_ENTITY.sub(lambda found: "&lt;" if found[0] == "<" else "&amp;", text)


def with_picture(html: str, url: str, there: str, number: int) -> str:
    """The HTML with a picture shown from the library; WordPress adds its smaller sizes by the class."""
    source = quiet(escape(there, quote=False))
    html = relink(html, {quiet(escape(url, quote=False)): source})
    return html.replace(f'src="{source}"', f'src="{source}" class="wp-image-{number}"')
