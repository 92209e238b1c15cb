"""The dashboard: the attention list and the post lists."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from flask import Response, request

from blogsvc import context
from blogsvc.delivery import attention
from blogsvc.models import Person
from blogsvc.posts import listing
from blogsvc.posts.listing import POST_LISTS, ListPage, PostFilter
from blogsvc.web import current_person, post_rows
from blogsvc.web.attention import items
from blogsvc.web.rendering import show
from blogsvc.web.routes import route

# The lists on the dashboard, and how many posts each shows there.
HEADINGS = {"drafts": "Drafts", "scheduled": "Scheduled", "published": "Published"}
AT_A_GLANCE = {"drafts": 8, "scheduled": 5, "published": 8}
MAX_SEARCH_LENGTH = 200


@route("GET", "/desk", role="author")
def home() -> Response:
    person, wanted, destinations = current_person.person(), _post_filter(), post_rows.RowDestinations()
    name = request.args.get("in", "all")
    name = name if name in HEADINGS else "all"
    found = attention.attention_for(person, context.now())
    response = show(
        "desk/dashboard.html",
        "desk/_posts.html",
        wanted=wanted,
        chosen=name,
        lists=_lists(person, name, wanted),
        counts=listing.counts(person),
        most_counted=listing.MAX_COUNTED,
        headings=HEADINGS,
        tags=listing.tags(person),
        people=_people_to_filter_by(person),
        needs=found,
        troubles=items(found, destinations),
        address=address,
        destinations=destinations,
        state=post_rows.state,
        zone=current_person.zone().key,
    )
    # Put the filters into the URL, so that the back button works and the URL can be shared.
    response.headers["HX-Replace-Url"] = address(wanted, name, request.args.get("after", ""))
    return response


def _post_filter() -> PostFilter:
    given = request.args
    words = given.get("q", "").replace("\0", "").strip()[:MAX_SEARCH_LENGTH]
    return PostFilter(words, given.get("tag", "").replace("\0", ""), given.get("by", "").replace("\0", ""))


def _lists(person: Person, name: str, wanted: PostFilter) -> dict[str, ListPage]:
    """Return the first posts of every list; or a page of the chosen list, or of the search results."""
    if name == "all" and not wanted:
        return {each: listing.page(each, person, wanted, most=most) for each, most in AT_A_GLANCE.items()}
    return {name: listing.page(name, person, wanted, request.args.get("after", ""))}


def _people_to_filter_by(person: Person) -> list[Person]:
    """Return the people to filter by, [] if there is only one."""
    everybody = Person.all() if person.is_at_least("editor") else []
    return everybody if len(everybody) > 1 else []


def address(wanted: PostFilter, name: str = "all", after: str = "") -> str:
    """Return the URL of the dashboard with these filters."""
    given: dict[str, Any] = {"in": name if name in HEADINGS else "", "q": wanted.words, "tag": wanted.tag}
    given |= {"by": wanted.author_id, "after": after}
    query = urlencode({key: value for key, value in given.items() if value})
    return f"/desk?{query}" if query else "/desk"


assert set(HEADINGS) < set(POST_LISTS)
