"""A blog without menus of its own gets those of the imported blog."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from blogsvc.context import Tools
from blogsvc.media import images
from blogsvc.media.site_images import choose_site_images
from blogsvc.models import ImportedPost, ImportJob, Post, Series, db, transaction
from blogsvc.models.navigation import Place, read_menus
from blogsvc.models.setting import Setting
from blogsvc.navigation.menus import save_menus
from blogsvc.navigation.social_links import own_links, save_social_links
from blogsvc.posts import series, trash
from blogsvc.transfer import export, importing
from tests.images import png

Bring = Callable[[bytes], None]
Make = Callable[..., Post]
URL = "https://blog.example"


@pytest.fixture
def bring(app: Flask, tools: Tools, tick: Callable[[], None]) -> Bring:
    """Return a function that imports a file."""

    def import_file(data: bytes) -> None:
        job = importing.receive(BytesIO(data), "export", None, tools)
        tick()
        importing.begin(job.id, tools, blog=True)
        tick()
        assert ImportJob.get(job.id).state == "finished"

    return import_file


def menu(place: Place = "header") -> list[tuple[str, str]]:
    db.session.rollback()
    return [(item.label, item.to) for item in read_menus()[place]]


def id_of(slug: str) -> str:
    return db.session.query(Post).filter_by(slug=slug).one().id


def wordpress_item(number: int, kind: str, title: str, extra: str) -> str:
    return (
        f"<item><title>{title}</title><link>https://old.example/{title.lower()}/</link>"
        f"<guid>https://old.example/?p={number}</guid><content:encoded>Words.</content:encoded>"
        f"<wp:post_id>{number}</wp:post_id><wp:post_name>{title.lower()}</wp:post_name>"
        f"<wp:post_date_gmt>2020-01-02 03:04:05</wp:post_date_gmt><wp:status>publish</wp:status>"
        f"<wp:post_type>{kind}</wp:post_type>{extra}</item>"
    )


def menu_item(number: int, menu: str, order: int, title: str = "", **meta: str) -> str:
    rows = "".join(
        f"<wp:postmeta><wp:meta_key>_menu_item_{name}</wp:meta_key><wp:meta_value>{value}</wp:meta_value></wp:postmeta>"
        for name, value in meta.items()
    )
    extra = (
        f'<wp:menu_order>{order}</wp:menu_order><category domain="nav_menu" nicename="{menu}">{menu}</category>{rows}'
    )
    return wordpress_item(number, "nav_menu_item", title, extra)


def wordpress(*items: str) -> bytes:
    terms = (
        "<wp:category><wp:term_id>7</wp:term_id><wp:category_nicename>boats</wp:category_nicename>"
        "<wp:cat_name>Boats &amp; ships</wp:cat_name></wp:category>"
        "<wp:tag><wp:term_id>8</wp:term_id><wp:tag_slug>fog</wp:tag_slug><wp:tag_name>Fog</wp:tag_name></wp:tag>"
    )
    return (
        '<?xml version="1.0"?><rss version="2.0" xmlns:wp="http://wordpress.org/export/1.2/"'
        ' xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><wp:wxr_version>1.2</wp:wxr_version>'
        f"{terms}{''.join(items)}</channel></rss>"
    ).encode()


def of_wordpress() -> bytes:
    return wordpress(
        menu_item(20, "main", 3, "Shop", type="custom", url="https://shop.example/"),
        menu_item(21, "main", 1, type="post_type", object_id="10", menu_item_parent="0"),
        menu_item(22, "main", 2, type="taxonomy", object="category", object_id="7"),
        menu_item(23, "main", 4, "Fog", type="taxonomy", object="post_tag", object_id="8"),
        menu_item(24, "main", 5, "Below", type="custom", url="/below", menu_item_parent="21"),
        menu_item(25, "main", 6, "Harmful", type="custom", url="javascript:alert(1)"),
        menu_item(26, "main", 7, "Lost", type="post_type", object_id="99"),
        menu_item(27, "main", 8, "Contact", type="custom", url="https://old.example/contact"),
        menu_item(28, "social", 1, "Other", type="custom", url="https://other.example/"),
        menu_item(29, "main", 9, "Home", type="custom", url="https://old.example/"),
        wordpress_item(10, "page", "About", ""),
        wordpress_item(11, "page", "Contact", ""),
    )


def test_the_first_menu_of_wordpress_becomes_the_header(bring: Bring, client: FlaskClient) -> None:
    bring(of_wordpress())
    assert menu() == [
        ("About", f"page:{id_of('about')}"),
        ("Boats & ships", "tag:Boats & ships"),
        ("Shop", "https://shop.example/"),
        ("Fog", "tag:Fog"),
        ("Contact", f"page:{id_of('contact')}"),
        ("Home", "home"),
    ]
    assert [label for label, _ in menu("footer")] == ["Tags", "Atom", "JSON Feed"]
    assert '<a href="/about"><bdi>About</bdi></a>' in client.get("/").text


def test_an_import_never_replaces_a_menu_of_the_owner(bring: Bring) -> None:
    save_menus({"header": [{"label": "Home", "to": "home"}], "footer": []}, URL)
    save_social_links([{"label": "Shop", "url": "https://shop.example", "is_me": False}])
    bring(of_wordpress())
    assert menu() == [("Home", "home")]
    assert len(own_links()) == 1


def ghost(**settings: Any) -> bytes:
    tags = [{"id": "1", "name": "News", "slug": "news"}]
    post = {"id": "5", "uuid": "u", "title": "About", "slug": "about", "status": "published", "html": "<p>Words.</p>"}
    rows = [{"key": key, "value": value} for key, value in settings.items()]
    data = {"posts": [{**post, "type": "page"}], "tags": tags, "settings": rows}
    return json.dumps({"db": [{"meta": {"version": "5.0.0"}, "data": data}]}).encode()


def test_both_menus_of_ghost_are_imported(bring: Bring) -> None:
    header = [
        {"label": "Home", "url": "/"},
        {"label": "About", "url": "__GHOST_URL__/about/"},
        {"label": "News", "url": "/tag/news/"},
        {"label": "x" * 80, "url": "https://shop.example"},
        {"label": "", "url": "/about/"},
        {"label": "Join", "url": "#/portal/signup"},
        {"label": "Account", "url": "__GHOST_URL__/#/portal/account"},
        "nonsense",
    ]
    bring(ghost(navigation=json.dumps(header), secondary_navigation='[{"label": "Now", "url": "/now/"}]'))
    assert menu() == [
        ("Home", "home"),
        ("About", f"page:{id_of('about')}"),
        ("News", "tag:News"),
        ("x" * 50, "https://shop.example"),
    ]
    assert menu("footer") == [("Now", "/now/")]


def test_an_item_that_leads_to_no_path_of_this_blog_is_left_out(bring: Bring) -> None:
    paths = ["/archive", "/a//b", "//a", "/a/../b", ""]
    bring(ghost(navigation=json.dumps([{"label": path or "Home", "url": f"{URL}{path}"} for path in paths])))
    assert menu() == [("/archive", "/archive"), ("Home", "/")]


def test_a_menu_without_a_usable_item_leaves_the_default(bring: Bring) -> None:
    header = [{"label": "Call", "url": "tel:1234"}, {"label": "Harmful", "url": "javascript:alert(1)"}]
    bring(ghost(navigation=json.dumps(header), secondary_navigation='[{"label": "Now", "url": "/now/"}]'))
    assert [label for label, _ in menu()] == ["Archive", "Search", "Subscribe"]
    assert menu("footer") == [("Now", "/now/")]


@pytest.mark.parametrize("broken", ["[", "7", "null", '{"label": "A"}'])
def test_a_broken_menu_of_ghost_is_left_out(bring: Bring, broken: str) -> None:
    bring(ghost(navigation=broken))
    assert menu()[0] == ("Archive", "archive")


def test_the_export_of_a_blog_brings_its_menus_and_social_links_along(bring: Bring, a_post: Make, tools: Tools) -> None:
    series.create({"title": "Boats", "slug": "boats"}, tools.now())
    page = a_post(live=True, title="About", slug="about", kind="page")
    own = [
        {"label": "About", "to": f"page:{page.id}"},
        {"label": "Ships", "to": "tag:ships"},
        {"label": "Boats", "to": "series:boats"},
    ]
    save_menus({"header": own, "footer": []}, URL)
    save_social_links([{"label": "Shop", "url": "https://shop.example", "is_me": False}])
    logo, page_id = images.add(png(300, 100), "logo.png", "", tools), page.id
    choose_site_images({"logo": logo.id}, tools)
    logo_url = URL + logo.path
    with export.to_stream("json", tools) as file:
        data = file.read()
    blog = json.loads(data)["blog"]
    assert blog["navigation"] == {"header": own, "footer": []}
    assert blog["social"] == [{"label": "Shop", "url": "https://shop.example", "isMe": False}]
    assert (blog["icon"], blog["logo"], blog["logoDark"]) == (None, logo_url, None)

    with transaction():
        trash.erase(Post.get(page_id), tools.now())
        series.remove(Series.named("boats"))
        Setting.write("blog_navigation", {})
        Setting.write("blog_social", [])
    bring(data)
    assert db.session.query(ImportedPost).one().post_id == id_of("about")
    assert menu() == [("About", f"page:{id_of('about')}"), ("Ships", "tag:ships"), ("Boats", "series:boats")]
    assert menu("footer") == []
    assert [link.url for link in own_links()] == ["https://shop.example"]
