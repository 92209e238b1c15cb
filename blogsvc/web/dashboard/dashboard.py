"""The dashboard: the attention list, the post lists, and the next steps on a new blog."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple
from urllib.parse import urlencode

from flask import Response, render_template, request
from markupsafe import Markup

from blogsvc import context
from blogsvc.delivery import attention
from blogsvc.delivery.attention import ServerProblem
from blogsvc.http.processes import problems_of_processes
from blogsvc.lib.time import utc_offset
from blogsvc.models import User
from blogsvc.posts import listing
from blogsvc.posts.listing import POST_LISTS
from blogsvc.posts.post_filter import PostFilter
from blogsvc.web.dashboard import post_filters, post_rows
from blogsvc.web.dashboard.attention import MAX_POSTS_PER_PROBLEM, groups
from blogsvc.web.dashboard.attention_actions import AttentionActions
from blogsvc.web.dashboard.next_steps import next_steps
from blogsvc.web.framework import current_user
from blogsvc.web.framework.destination_names import DestinationNames
from blogsvc.web.framework.rendering import show
from blogsvc.web.framework.routes import route

# The lists on the dashboard, and how many posts each shows there.
HEADINGS = {"drafts": "Drafts", "scheduled": "Scheduled", "published": "Published", "pages": "Pages"}
AT_A_GLANCE = {"drafts": 8, "scheduled": 5, "published": 8, "pages": 5}


class ShownList(NamedTuple):
    """A page of a list as HTML, the number of its posts, and the cursor of the next page."""

    rows: Markup
    size: int
    next: str | None


@route("GET", "/desk", role="author")
def home() -> Response:
    user, post_filter, destinations = current_user.user(), post_filters.from_request(), DestinationNames()
    name = request.args.get("in", "all")
    name = name if name in HEADINGS else "all"
    needs = attention.attention_for(user, context.now(), MAX_POSTS_PER_PROBLEM)
    if user.is_at_least("owner"):
        problems = problems_of_processes(context.tools())
        needs = replace(needs, servers=tuple(ServerProblem(one.message, one.details) for one in problems))
    response = show(
        "desk/dashboard.html",
        "desk/_posts.html",
        post_filter=post_filter,
        chosen=name,
        lists=_lists(user, name, post_filter, destinations),
        counts=listing.counts(user),
        most_counted=listing.MAX_COUNTED,
        headings=HEADINGS,
        choices=post_filters.choices(destinations),
        needs=needs,
        attention=groups(needs, destinations),
        actions=AttentionActions(user.is_at_least("owner")),
        address=address,
        query_of=post_filters.query_of,
        destinations=destinations,
        next_steps=() if post_filter or name != "all" else next_steps(),
        zone=current_user.zone().key,
        offset=utc_offset(context.now(), current_user.zone().key),
    )
    # Put the filters into the URL, so that the back button works and the URL can be shared.
    response.headers["HX-Replace-Url"] = address(post_filter, name, request.args.get("after", ""))
    return response


def _lists(user: User, name: str, post_filter: PostFilter, destinations: DestinationNames) -> dict[str, ShownList]:
    """Return the first posts of every list; or a page of the chosen list, or of the search results."""

    def shown(name: str, after: str = "", most: int = listing.LIST_PAGE_SIZE) -> ShownList:
        page = listing.page(name, user, post_filter, after, most)
        values = {"lines": page.lines, "state": post_rows.state, "destinations": destinations}
        rows = Markup(render_template("desk/_post_lines.html", **values))  # noqa: S704  (a template)
        return ShownList(rows, len(page.lines), page.next)

    if name == "all" and not post_filter:
        return {each: shown(each, most=most) for each, most in AT_A_GLANCE.items()}
    return {name: shown(name, request.args.get("after", ""))}


def address(wanted: PostFilter, name: str = "all", after: str = "") -> str:
    """Return the URL of the dashboard with these filters."""
    given = {"in": name if name in HEADINGS else "", **post_filters.query_of(wanted), "after": after}
    query = urlencode({key: value for key, value in given.items() if value})
    return f"/desk?{query}" if query else "/desk"


assert set(HEADINGS) < set(POST_LISTS)
