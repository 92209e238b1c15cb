"""What plug-ins of WordPress (Yoast, Rank Math, All in One SEO) store for search engines and social networks."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from blogsvc.transfer.formats.parsed_post import one_line

_TITLES = ("_yoast_wpseo_title", "rank_math_title", "_aioseo_title")
_DESCRIPTIONS = ("_yoast_wpseo_metadesc", "rank_math_description", "_aioseo_description")
_VARIABLE = re.compile(r"%%\w+%%|%\w+%|#\w+_\w+")
_SOCIAL = (
    "_yoast_wpseo_opengraph-title", "_yoast_wpseo_opengraph-description", "_yoast_wpseo_twitter-title",
    "_yoast_wpseo_twitter-description", "rank_math_facebook_title", "rank_math_facebook_description",
)  # fmt: skip


def title_of(meta: Mapping[str, str]) -> str:
    """Return the title for search engines, "" if there is none."""
    return next(filter(None, (_text(meta.get(name, "")) for name in _TITLES)), "")


def losses(meta: Mapping[str, str], known: Collection[str]) -> Iterator[str]:
    """Yield the texts for which blogsvc has no field, unless they are `known` as the title or summary of the post."""
    for names, what in ((_DESCRIPTIONS, "for search engines"), (_SOCIAL, "for social networks")):
        texts = dict.fromkeys(_text(meta.get(name, "")) for name in names)
        if lost := [text for text in texts if text and text not in known]:
            yield f"Its texts {what} were not imported: {'; '.join(lost)}"


def _text(stored: str) -> str:
    """Return a text, "" for a template such as "%%title%% %%sep%% %%sitename%%", which is made of other fields."""
    return "" if _VARIABLE.search(stored) else one_line(stored)
