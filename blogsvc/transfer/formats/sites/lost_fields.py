"""Name the texts in the front matter of a post that have no field here."""

from __future__ import annotations

from collections.abc import Iterator

from blogsvc.transfer.formats.parsed_post import one_line
from blogsvc.transfer.formats.sites.fields import SUMMARIES, Fields

_MAX_LENGTH = 1000  # characters of a text that the report repeats
_SOCIAL = ("og_title", "og_description", "twitter_title", "twitter_description", "social_title", "social_description")
_SOCIAL_IMAGES = ("og_image", "twitter_image", "social_image", "share_image")
_TRUE_OR_FALSE = ("true", "false")


def noted(fields: Fields, title: str) -> Iterator[str]:
    """Yield a sentence for each text that is not the title, the summary, or the title for search engines."""
    kept = {"", *map(one_line, (title, fields.summary, fields.meta_title)), *_TRUE_OR_FALSE}
    texts = {name: one_line(fields.text(name)) for name in SUMMARIES}
    texts["description for search engines"] = one_line(fields.of_seo("description"))
    for name, text in texts.items():
        if text.lower() not in kept and text not in kept:
            kept.add(text)
            yield f"Its {name.replace('_', ' ')} was not imported: {text[:_MAX_LENGTH]}"
    social = [text for text in dict.fromkeys(one_line(fields.text(name)) for name in _SOCIAL) if text not in kept]
    if social:
        yield f"Its texts for social networks were not imported: {'; '.join(social)[:_MAX_LENGTH]}"
    if any(fields.text(name) not in ("", fields.cover()[0]) for name in _SOCIAL_IMAGES):
        yield "Its image for social networks was not imported; they show the cover."
