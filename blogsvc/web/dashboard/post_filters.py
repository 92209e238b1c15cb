"""The filters above lists of posts and the calendar, in the address of the page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from flask import request

from blogsvc.models import User
from blogsvc.posts import listing
from blogsvc.posts.post_filter import PostFilter
from blogsvc.web.framework import current_user
from blogsvc.web.framework.destination_names import DestinationNames

MAX_SEARCH_LENGTH = 200


class Choice(NamedTuple):
    """An author or a destination to filter by."""

    value: str
    label: str


class FilterChoices(NamedTuple):
    """What there is to filter by. Authors and destinations are offered only if there are several."""

    tags: list[str]
    authors: list[Choice]
    destinations: list[Choice]


def from_request() -> PostFilter:
    """Return the filters in the address of the page, or in the form that returns to it."""

    def value_of(name: str) -> str:
        return request.values.get(name, "").replace("\0", "")

    query = value_of("q").strip()[:MAX_SEARCH_LENGTH]
    return PostFilter(query, tag=value_of("tag"), author_id=value_of("by"), destination=value_of("to"))


def query_of(post_filter: PostFilter) -> dict[str, str]:
    """Return the filters as parameters of an address, without the empty ones."""
    parameters = {
        "q": post_filter.query,
        "tag": post_filter.tag,
        "by": post_filter.author_id,
        "to": post_filter.destination,
    }
    return {name: value for name, value in parameters.items() if value}


def choices(destinations: DestinationNames) -> FilterChoices:
    user = current_user.user()
    return FilterChoices(
        listing.tags(user),
        _authors(user),
        _several(Choice(*one) for one in destinations.labels.items()),
    )


def _authors(user: User) -> list[Choice]:
    everybody = User.all() if user.is_at_least("editor") else []
    return _several(Choice(one.id, one.name) for one in everybody)


def _several(found: Iterable[Choice]) -> list[Choice]:
    """Return the choices, [] if there is only one."""
    listed = list(found)
    return listed if len(listed) > 1 else []
