"""The page that says what a feed is, with the addresses to copy."""

from __future__ import annotations

from flask import Blueprint, Response

from blogsvc.blog import cache, heads
from blogsvc.blog.cache import CachedPage
from blogsvc.blog.contract import FeedAddress
from blogsvc.blog.posts import Blog
from blogsvc.blog.rendering import render
from blogsvc.blog.views import ATOM, JSON_FEED
from blogsvc.models.navigation import FIXED

blueprint = Blueprint("subscribe", __name__)

FEEDS = (
    FeedAddress("Atom", FIXED["feed"], ATOM, "Works in every feed reader."),
    FeedAddress("JSON", "/feed.json", JSON_FEED, "For readers and programs that prefer JSON."),
    FeedAddress("RSS", "/rss.xml", "application/rss+xml", "For feed readers that know only RSS."),
)


@blueprint.get(FIXED["subscribe"])
def subscribe() -> Response:
    def make() -> CachedPage:
        return CachedPage.of(render("subscribe.html", heads.of_subscribe(Blog.read()), feeds=FEEDS))

    return cache.answer(FIXED["subscribe"], make)[0]
