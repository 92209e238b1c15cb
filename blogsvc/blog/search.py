"""The search: a form, and the posts that match, with the words that were searched for marked.

The answers are for one reader each, so they are neither in the page cache nor stored.
"""

from __future__ import annotations

from dataclasses import replace

from flask import Blueprint, Response, request, url_for
from limits import RateLimitItemPerMinute
from markupsafe import Markup

from blogsvc.auth.attempt_counters import network_of, page_requests
from blogsvc.blog import heads, queries
from blogsvc.blog.cache import CachedPage
from blogsvc.blog.contract import Match, Pager, Search
from blogsvc.blog.posts import Blog, BlogPost
from blogsvc.blog.rendering import render
from blogsvc.blog.views import tags_of, title_of
from blogsvc.lib.text.plain import EXCERPT_LENGTH, text_between_tags, without_footnote_marks
from blogsvc.lib.text.search_matches import Piece, excerpt_around, marked
from blogsvc.lib.text.search_terms import Term, terms

blueprint = Blueprint("search", __name__)

PER_PAGE = 20
MAX_LENGTH, MAX_TERMS = 200, 6  # of a question; the rest is ignored
# A shorter word does not stand for all words that begin with it, because nearly every post has one. The FTS5 table has
# an index of the beginnings of this length.
SHORTEST_BEGINNING = 3
# Of the HTML of a post, the part in which the excerpt is looked for.
SEARCHED = 20_000
SEARCHES_A_MINUTE = RateLimitItemPerMinute(30, namespace="blogsvc")  # of one network
HEADERS = {"Cache-Control": "private, no-store", "X-Robots-Tag": "noindex"}


@blueprint.get("/search")
def search() -> Response:
    question = " ".join(request.args.get("q", "")[:MAX_LENGTH].replace("\0", " ").split())
    if not question:
        return _answer("")
    counter = "search", network_of(request.remote_addr)
    if not page_requests().hit(SEARCHES_A_MINUTE, *counter):
        answer = _answer(question, 429)
        answer.headers["Retry-After"] = str(page_requests().wait(SEARCHES_A_MINUTE, *counter))
        return answer
    number = min(max(request.args.get("page", 1, type=int), 1), queries.MAX_COUNTED // PER_PAGE)
    return _answer(question, number=number)


def _asked(question: str) -> list[Term]:
    asked = terms(question)[:MAX_TERMS]
    return [replace(term, is_exact=term.is_exact or len(term.words[-1]) < SHORTEST_BEGINNING) for term in asked]


def _answer(question: str, status: int = 200, number: int = 1) -> Response:
    blog, asked = Blog.read(), _asked(question)
    is_asked = status == 200 and any(not term.is_unwanted for term in asked)
    entries, count = queries.matching(blog, asked, PER_PAGE, number) if is_asked else ([], 0)
    matches = tuple(_match(entry, asked) for entry in entries)
    html = render(
        "search.html",
        heads.of_search(blog, question, is_first=number == 1),
        search=Search(question, count, status != 200, matches),
        pager=_pager(question, number, max(-(-min(count, queries.MAX_COUNTED) // PER_PAGE), 1)),
    )
    page = CachedPage.of(html)
    return Response(page.body, status, HEADERS, mimetype=page.mimetype)


def _pager(question: str, number: int, total: int) -> Pager:
    previous = _address(question, min(number - 1, total)) if number > 1 else None
    return Pager(previous, _address(question, number + 1) if number < total else None, number, total)


def _address(question: str, number: int) -> str:
    return url_for("search.search", q=question, page=number if number > 1 else None)


def _match(entry: BlogPost, asked: list[Term]) -> Match:
    title = _written(marked(entry.title, asked))
    return Match(title_of(entry), entry.is_page, title, _written(_excerpt(entry, asked)), tags_of(entry))


def _excerpt(entry: BlogPost, asked: list[Term]) -> list[Piece]:
    """Return the text around the first word that was searched for, or the summary if it is only elsewhere."""
    html = entry.revision.render()
    if len(html) > SEARCHED:
        html = html[:SEARCHED].rpartition("<")[0]
    text = text_between_tags(without_footnote_marks(html))
    return excerpt_around(text, asked, EXCERPT_LENGTH) or marked(entry.summary, asked)


def _written(pieces: list[Piece]) -> Markup:
    """Return the pieces of a text as HTML, the matches in `mark`."""
    return Markup().join(Markup("<mark>{}</mark>").format(text) if is_match else text for text, is_match in pieces)
