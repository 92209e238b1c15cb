"""Articles of every kind, composed for every connector as in production, in a form that a person can review."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from blogsvc.connectors import connectors
from blogsvc.connectors.base import Article, ArticleImage, Connector, Field, Payload, Rejected
from blogsvc.lib.markdown.fragments import without_names
from blogsvc.lib.markdown.render import render
from blogsvc.lib.text.front_matter import split
from blogsvc.lib.text.plain import excerpt, images_in, plain

HERE = Path(__file__).parent
GOLDEN = HERE / "golden"
NAMES = sorted(path.stem for path in (HERE / "articles").glob("*.md"))
TELLING = {"footnotes", "nested"}  # what real servers changed most often
HOW = "Write them with `make golden` (python -m tests.fidelity), and read them: they are what readers there will see."
SECRET = "s3cret-of-nobody"

# Settings where the defaults of the fields are not enough, and the facts of the server.
SETTINGS: dict[str, dict[str, str]] = {
    "atproto": {"handle": "ada.example", "blog_url": "https://blog.example", "blog_name": "Of everything"},
    "folder": {"path": "/srv/site", "url_pattern": "https://me.example/{year}/{month}/{slug}/"},
    "nostr": {"secret_key": "01" * 32, "relays": "wss://relay.example"},
    "slack": {"channel": "C0123456789"},
}
FACTS: dict[str, dict[str, Any]] = {
    "atproto": {"publication": "at://did:plc:ada/site.standard.publication/3jzfcijpj2z2a"},
    "lemmy": {"api": "v4", "person_id": 31, "community_id": 7},
}
SUMMARIES = {"hostile": "What must not run, and does not."}
LANGUAGES = {"scripts-of-the-world": "he"}

# The sizes of uploaded images.
SIZES = {f"https://blog.example/media/{name}.webp": (1600, 900) for name in ("fog", "rope", "lights")}

LONG = 100  # characters of a value that is shown on its own lines
MOST = 6_000  # characters that are shown in full
HTML = re.compile(r"\s*<(?:!-- wp:|!--kg-card-|blockquote|div|h[1-6]|hr|ol|p|pre|section|table|ul)\b[^>]*>")
BLOCK = re.compile(
    r"(?<!\n)(?=<(?:article|blockquote|details|div|dl|dt|dd|figure|figcaption|h[1-6]|hr|iframe|li|ol|p|pre|section"
    r"|summary|table|tbody|td|th|thead|tr|ul|audio|video)\b)|(?<=<br>)(?!\n)"
)


def platforms() -> dict[str, type[Connector]]:
    """Return every connector that sends requests."""
    return {key: found for key, found in connectors().items() if not found.is_local}


def connected(key: str) -> Connector:
    kind = platforms()[key]
    settings = {field.name: _setting(field) for field in kind.fields} | SETTINGS.get(key, {})
    return kind(settings, facts=FACTS.get(key, {}))


def _setting(field: Field) -> str:
    if not field.required and not field.secret:
        return field.default
    if field.default or field.choices:
        return field.default or field.choices[0]
    if field.secret:
        return f"X-Token: {SECRET}" if field.name == "headers" else SECRET
    is_address = "url" in field.name or "server" in field.name or "address" in field.label.lower()
    return f"https://{field.name.replace('_', '-')}.example" if is_address else field.name


def source(name: str) -> str:
    return (HERE / "articles" / f"{name}.md").read_text(encoding="utf-8")


@cache
def article(name: str) -> Article:
    """Return the article that `articles.article` makes of a revision."""
    _, text = split(source(name))
    html = without_names(render(text))
    return Article(
        id="01JD0000000000000000000001",
        title=f"Of {name.replace('-', ' ')}",
        slug=f"of-{name}",
        markdown=text,
        html=html,
        summary=SUMMARIES.get(name) or excerpt(plain(html), 160),
        canonical_url=f"https://blog.example/of-{name}",
        tags=("trees", "web development", "été"),
        images=tuple(ArticleImage(url, alt, SIZES.get(url)) for url, alt in images_in(html)),
        language=LANGUAGES.get(name, "en"),
        published_at=datetime(2026, 11, 20, 10, 0, tzinfo=UTC),
        updated_at=datetime(2026, 11, 20, 10, 0, tzinfo=UTC),
    )


def composed(key: str, name: str) -> Payload | Rejected:
    connector = connected(key)
    try:
        return connector.compose(article(name), {option.name: option.default for option in connector.options})
    except Rejected as refusal:
        return refusal


def golden(key: str, name: str) -> Path:
    return GOLDEN / key / f"{name}.txt"


def shown(key: str, name: str) -> str:
    """Return the payload for a person to read: short values as JSON, each long one as text, and the warnings."""
    payload = composed(key, name)
    if isinstance(payload, Rejected):
        return f"Rejected: {payload}\n"
    long = {path: value for path, value in strings(payload.body) if len(value) > LONG or "\n" in value}
    short = json.dumps(_without(payload.body, ""), ensure_ascii=False, indent=2, sort_keys=True, default=str)
    texts = [f"=== {path}\n{_abbreviated(_pretty(value))}" for path, value in long.items()]
    warnings = [f"! {warning}" for warning in payload.warnings] or ["(no warnings)"]
    lines = "\n\n".join([short, *texts, "=== warnings\n" + "\n".join(warnings)]).split("\n")
    return "\n".join(line + "¶" * line.endswith((" ", "\t")) for line in lines) + "\n"


def strings(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield every string in a payload with its path."""
    if isinstance(value, str):
        yield path, value
    for key, inner in _items(value):
        yield from strings(inner, f"{path}.{key}".lstrip("."))


def _items(value: Any) -> list[tuple[Any, Any]]:
    if isinstance(value, dict):
        return list(value.items())
    return list(enumerate(value)) if isinstance(value, list | tuple) else []


def _without(value: Any, path: str) -> Any:
    if isinstance(value, str) and (len(value) > LONG or "\n" in value):
        return f"=== {path}"
    inner = {key: _without(one, f"{path}.{key}".lstrip(".")) for key, one in _items(value)}
    return inner if isinstance(value, dict) else list(inner.values()) if isinstance(value, list | tuple) else value


def _pretty(text: str) -> str:
    """Return HTML with one line per block, and other text unchanged. Lines inside `pre` are kept."""
    return BLOCK.sub("\n", text).strip("\n") if HTML.match(text) else text


def _abbreviated(text: str) -> str:
    if len(text) <= MOST:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
    return f"{text[:600]}\n[... {len(text)} characters in all, SHA-256 {digest} ...]\n{text[-300:]}"
