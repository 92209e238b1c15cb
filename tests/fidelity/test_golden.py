"""The payload of every connector for every kind of article was reviewed, and is harmless."""

from __future__ import annotations

import json
import re

import pytest
from markdown_it import MarkdownIt
from mdit_py_plugins.gfm import gfm_plugin

from blogsvc.connectors.base import Connector, Rejected
from tests.fidelity.corpus import GOLDEN, HOW, HTML, NAMES, SECRET, article, composed, golden, platforms, shown, strings
from tests.html_safety import dangers
from tests.tiers import matrix

KEYS = sorted(platforms())
# These send the author's source unchanged for the author's own site to render: its Markdown is not checked.
THE_SOURCE = {"webhook": ("markdown",), "folder": ("text",)}
CODE = re.compile(r"<(pre|code)\b.*?</\1>|^( *)(`{3,}|~{3,}).*?^ *\3|(`+)[^`].*?\4", re.DOTALL | re.MULTILINE)
SCRIPT = re.compile(r"(?<!\\)<script|[(\"'<]\s*javascript:", re.IGNORECASE)
# Plain text, which platforms show unchanged.
PLAIN = ("record.textContent", "excerpt")
UNTIDY = ("id ", "style", "name", "comment", "broke out")  # and nothing worse


class Careless(MarkdownIt):
    """A site that renders any Markdown and any link, without a sanitizer."""

    def validateLink(self, url):
        return True


def careless(text):
    return Careless("commonmark", {"html": True}).use(gfm_plugin).render(text)


@pytest.mark.parametrize("key", KEYS)
def test_every_payload_matches_its_golden_file(key):
    for name in NAMES:
        assert golden(key, name).exists(), f"There is no golden file of {key} for {name}. {HOW}"
        assert shown(key, name) == golden(key, name).read_text(encoding="utf-8"), f"{name} has changed. {HOW}"


def test_there_is_no_unused_golden_file():
    assert set(GOLDEN.rglob("*.txt")) <= {golden(key, name) for key in KEYS for name in NAMES}, HOW


# One connector for each language of payloads: HTML, Markdown, plain text, and the formats of Slack and Bluesky.
USUAL = ("wordpress", "devto", "mastodon", "nostr", "slack", "bluesky", "telegram")


@matrix("key", KEYS, default=lambda key: key in USUAL)
def test_no_payload_contains_anything_executable(key):
    for name in NAMES:
        payload = composed(key, name)
        if isinstance(payload, Rejected):
            continue
        for path, text in strings(payload.body):
            if path in (*THE_SOURCE.get(key, ()), *PLAIN):
                continue
            is_html = HTML.match(text)
            seen = text if is_html else careless(text)
            assert [danger for danger in dangers(seen) if not danger.startswith(UNTIDY)] == [], (name, path)
            assert is_html or not SCRIPT.search(CODE.sub("", text)), (name, path)


@pytest.mark.parametrize("key", KEYS)
def test_no_payload_contains_a_secret(key):
    for name in NAMES:
        payload = composed(key, name)
        said = (
            str(payload) if isinstance(payload, Rejected) else json.dumps([payload.body, payload.warnings], default=str)
        )
        assert SECRET not in said


@pytest.mark.parametrize("key", KEYS)
def test_every_copy_links_to_its_canonical_url(key):
    if "canonical_url" not in platforms()[key].carries:
        pytest.skip("the payload has no canonical URL")
    for name in NAMES:
        payload = composed(key, name)
        assert isinstance(payload, Rejected) or article(name).canonical_url in json.dumps(payload.body, default=str)


@pytest.mark.parametrize("key", KEYS)
def test_code_in_markdown_keeps_every_character(key):
    """Only for connectors that send the whole article as Markdown."""
    kind: type[Connector] = platforms()[key]
    payload = composed(key, "code")
    if kind.accepts != "markdown" or kind.category == "announcement" or isinstance(payload, Rejected):
        pytest.skip("the connector sends no Markdown")
    assert any(
        '    """Says hello."""\n    print(f"Hello, {name}! <b>&amp;</b>")' in text for _, text in strings(payload.body)
    )
