"""The addresses of an imported blog lead to the right pages, and the import says which do not."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import quote

import feedparser
import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import event, select

from blogsvc import create_app
from blogsvc.config import Config
from blogsvc.context import Tools
from blogsvc.models import ImportJob, Media, Post, close_connections, db
from blogsvc.posts import publishing
from blogsvc.redirects import manage
from blogsvc.transfer import export, importing
from tests.clock import Time
from tests.images import png
from tests.outside import Outside

HERE = Path(__file__).parent / "files"
UPLOADS = "/wp-content/uploads/"
GHOST_IMAGES = "/content/images/2023/11/"
LONG = "b" * 150

Plan = Callable[..., ImportJob]
Bring = Callable[..., ImportJob]


@pytest.fixture
def plan_import(app: Flask, tools: Tools, tick: Callable[[], None]) -> Plan:
    """Return a function that reads a file with the scheduler, and imports nothing yet."""

    def plan(data: Path | dict[str, Any], name: str = "export.json") -> ImportJob:
        if isinstance(data, Path):
            import_id = importing.receive_path(data, tools).id
        else:
            import_id = importing.receive(BytesIO(json.dumps(data).encode()), name, None, tools).id
        tick()
        return ImportJob.get(import_id)

    return plan


@pytest.fixture
def import_file(plan_import: Plan, tools: Tools, tick: Callable[[], None]) -> Bring:
    def bring(data: Path | dict[str, Any], **choices: Any) -> ImportJob:
        one = plan_import(data)
        importing.begin(one.id, tools, **{"blog": True, **choices})
        tick()
        done = ImportJob.get(one.id)
        assert done.state == "finished"
        return done

    return bring


@pytest.fixture
def old_images(outside: Outside) -> None:
    paths = (
        UPLOADS + "2019/05/ferry.jpg",
        UPLOADS + "2018/01/quay.png",
        GHOST_IMAGES + "van.png",
        GHOST_IMAGES + "house.png",
    )
    for number, path in enumerate(paths):
        outside.teach(
            "GET",
            f"https://old.example{path}",
            status=200,
            body=png(width=9 + number),
            headers={"Content-Type": "image/png"},
        )


def location(client: FlaskClient, address: str) -> str:
    """Follow an old address, which must lead to a page of the blog in one step, and return its path."""
    path, _, query = address.partition("?")
    answer = client.get(quote(path, safe="/%"), query_string=query)
    assert answer.status_code == 301, f"{address}: {answer.status_code}"
    with client.get(answer.location) as page:
        assert page.status_code == 200, answer.location
    return str(answer.location)


def numbers(one: ImportJob) -> tuple[int, int]:
    assert one.old_addresses is not None
    return one.old_addresses["found"], one.old_addresses["known"]


def missing(one: ImportJob) -> dict[str, str]:
    assert one.old_addresses is not None
    return dict(one.old_addresses["missing"])


def test_every_address_of_a_wordpress_blog_leads_to_its_page(
    import_file: Bring, old_images: None, client: FlaskClient
) -> None:
    done = import_file(HERE / "wordpress.xml")

    pages = {
        "/2019/05/ferries-friends/": "/ferries-friends",
        "/2019/05/ferries-friends/amp/": "/ferries-friends",
        "/?p=12": "/ferries-friends",
        "/2018/01/classic/": "/classic",
        "/2020/01/привет/": f"/{quote('привет')}",
        "/?p=20": f"/{quote('привет')}",
        "/tag/sea/": "/tag/Sea%20%26%20Salt",
        "/category/travel/": "/tag/Travel",
        "/category/travel/feed/": "/rss.xml",
        "/author/ada/": "/author/ada",
        "/?tag=sea": "/tag/Sea%20%26%20Salt",
        "/?cat=7": "/tag/Travel",
        "/?author=1": "/author/ada",
        "/feed/": "/feed.xml",
        "/2019/05/": "/archive/2019#05",
        "/?page_id=2": "/about",
        "/?p=2": "/about",
    }
    assert {address: location(client, address) for address in pages} == pages
    by_size = {media.width: media.path for media in db.session.scalars(select(Media))}
    for path in ("2019/05/ferry.jpg", "2019/05/ferry-1024x768.jpg"):
        assert location(client, UPLOADS + path) == by_size[9]
    found, known = numbers(done)
    assert missing(done) == {
        "/2020/03/members": "'Members' is a draft here.",
        "/?p=22": "'Members' is a draft here.",
    }
    assert found == known - 2 > 15
    assert "About us." in client.get("/about").text


def test_every_address_of_a_ghost_blog_leads_to_its_page(
    import_file: Bring, old_images: None, client: FlaskClient
) -> None:
    done = import_file(HERE / "ghost.json", site="https://old.example")

    pages = {
        "/moving-house/": "/moving-house",
        "/moving-house/amp/": "/moving-house",
        "/2023/11/01/moving-house/": "/moving-house",
        "/p/8a2f-1/": "/moving-house",
        "/old-days/": "/old-days",
        "/tag/work-play/": "/tag/Work%20%26%20play",
        "/tag/work-play/rss/": "/rss.xml",
        "/author/ada/": "/author/ada",
        "/rss/": "/rss.xml",
        "/sitemap-posts.xml": "/sitemap.xml",
    }
    assert {address: location(client, address) for address in pages} == pages
    by_size = {media.width: media.path for media in db.session.scalars(select(Media))}
    assert location(client, GHOST_IMAGES + "van.png") == by_size[11]
    assert location(client, "/content/images/size/w600/2023/11/house.png") == by_size[12]
    assert missing(done) == {
        "/for-friends": "'For friends' is a draft here.",
        "/p/8a2f-2": "'For friends' is a draft here.",
    }
    found, known = numbers(done)
    assert found == known - 2 > 10
    assert "We." in client.get("/about").text


def test_a_plan_says_which_old_addresses_will_lead_to_a_page(
    plan_import: Plan, import_file: Bring, old_images: None
) -> None:
    planned = plan_import(HERE / "wordpress.xml")
    said = numbers(planned), missing(planned)

    done = import_file(HERE / "wordpress.xml")
    assert (numbers(done), missing(done)) == said


def test_many_addresses_are_checked_with_few_queries(import_file: Bring) -> None:
    queries: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        if "FROM redirect" in statement:
            queries.append(statement)

    event.listen(db.engine, "before_cursor_execute", note)
    done = import_file(a_ghost_blog(*(a_ghost_post(f"post-{number}") for number in range(12))))
    event.remove(db.engine, "before_cursor_execute", note)
    assert numbers(done) == (27, 27)
    assert len(queries) <= 17  # one for each post, when its addresses are stored


def test_an_old_address_of_a_draft_leads_to_it_once_it_is_published(
    import_file: Bring, old_images: None, client: FlaskClient, time: Time
) -> None:
    import_file(HERE / "ghost.json", site="https://old.example")
    assert client.get("/p/8a2f-2/").status_code == 404

    post = db.session.scalar(select(Post).where(Post.slug == "for-friends"))
    assert post is not None
    publishing.publish(post, time.now)
    assert location(client, "/p/8a2f-2/") == "/for-friends"


def a_ghost_post(slug: str, **fields: str) -> dict[str, Any]:
    made = {"id": slug[:24], "uuid": slug, "title": slug[:20], "slug": slug, "html": "<p>Words.</p>", "type": "post"}
    times = {"created_at": "2023-01-01T10:00:00.000Z", "published_at": "2023-01-01T10:00:00.000Z"}
    return {**made, **times, "status": "published", "visibility": "public", **fields}


def a_ghost_blog(*posts: dict[str, Any]) -> dict[str, Any]:
    return {"db": [{"data": {"posts": list(posts)}}]}


def test_a_slug_that_is_too_long_or_has_other_characters_leads_to_the_post(
    import_file: Bring, client: FlaskClient
) -> None:
    done = import_file(a_ghost_blog(a_ghost_post(LONG), a_ghost_post("день", id="2"), a_ghost_post("a_B", id="3")))

    (cut,) = db.session.scalars(select(Post.slug).where(Post.slug.like("bbb%")))
    assert len(cut) < len(LONG)
    assert location(client, f"/{LONG}/") == location(client, f"/{LONG}") == f"/{cut}"
    assert location(client, "/день/") == f"/{quote('день')}"
    assert location(client, "/a_B/") == "/a-b"
    assert missing(done) == {}


def test_the_default_addresses_of_hugo_lead_to_the_posts(
    import_file: Bring, client: FlaskClient, tmp_path: Path
) -> None:
    head = '---\ntitle: {}\ndate: 2020-01-02\n---\nWords, and [another]({{{{< ref "/posts/bundle/index.md" >}}}}).\n'
    files = {
        "hugo.toml": 'baseURL = "https://old.example/"\n',
        "content/posts/My First Post.md": head.format("One"),
        "content/posts/bundle/index.md": head.format("Two"),
        "content/posts/bundle/index.de.md": head.format("Zwei"),
        "content/notes/2020-01-02-dated.md": head.format("Three"),
    }
    with zipfile.ZipFile(tmp_path / "hugo.zip", "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    import_file(tmp_path / "hugo.zip")

    led = {
        "/posts/my-first-post/": "/my-first-post",
        "/posts/bundle/": "/bundle",
        "/notes/2020-01-02-dated/": "/dated",
    }
    assert {address: location(client, address) for address in led} == led
    german = location(client, "/de/posts/bundle/")
    assert "Zwei" in client.get(german).text
    assert 'href="/bundle"' in client.get("/my-first-post").text


@pytest.mark.parametrize(
    ("settings", "pattern"),
    [
        ("hugo.toml", '[permalinks]\nposts = "/:year/:month/:slug/"\n'),
        ("config/_default/hugo.yaml", "permalinks:\n  page:\n    posts: /:year/:month/:title/\n"),
        ("config.toml", 'title = "A"\n[permalinks.page]\nposts = "/:year/:month/:slug/"\n'),
    ],
)
def test_the_addresses_of_the_settings_of_hugo_lead_to_the_posts(
    import_file: Bring, client: FlaskClient, tmp_path: Path, settings: str, pattern: str
) -> None:
    with zipfile.ZipFile(tmp_path / "hugo.zip", "w") as archive:
        archive.writestr(settings, pattern)
        archive.writestr("content/posts/first.md", "---\ntitle: The First One\ndate: 2020-01-02\n---\nWords.\n")
    import_file(tmp_path / "hugo.zip")
    assert location(client, "/2020/01/the-first-one/") == "/first"


def test_the_categories_in_addresses_of_jekyll_keep_their_spaces(
    import_file: Bring, client: FlaskClient, tmp_path: Path
) -> None:
    with zipfile.ZipFile(tmp_path / "jekyll.zip", "w") as archive:
        archive.writestr("_posts/2020-01-03-b.md", "---\ntitle: B\ncategories: [Foo Bar, über]\n---\nWords.\n")
    import_file(tmp_path / "jekyll.zip")
    assert location(client, "/foo%20bar/%C3%BCber/2020/01/03/b.html") == "/b"


@pytest.mark.parametrize(
    ("name", "file"),
    [
        (
            "content/settings/redirects.yaml",
            "301:\n  /was/: /one/\n  ^\\/first\\/?$: /one/\n  /on-trees/: /tag/trees/\n  ^/posts/(.*)$: /$1\n"
            "302:\n  /soon: https://old.example/one\n  /away/: https://evil.example/\n",
        ),
        (
            "content/data/redirects.json",
            json.dumps(
                [{"from": source, "to": "/one/"} for source in ("/was/", "^\\/first\\/?$", "/soon", "^/posts/(.*)$")]
                + [{"from": "/on-trees", "to": "/tag/trees/"}, {"from": "/away/", "to": "//evil.example/"}, 7]
            ),
        ),
    ],
)
def test_redirects_of_a_ghost_blog_are_imported(
    name: str, file: str, import_file: Bring, client: FlaskClient, tmp_path: Path
) -> None:
    blog = a_ghost_blog(a_ghost_post("one"))
    data = blog["db"][0]["data"]
    data |= {
        "tags": [{"id": "t", "name": "All trees", "slug": "trees"}],
        "posts_tags": [{"post_id": "one", "tag_id": "t"}],
    }
    with zipfile.ZipFile(tmp_path / "ghost.zip", "w") as archive:
        archive.writestr("blog.ghost.json", json.dumps(blog))
        archive.writestr(name, file)
    done = import_file(tmp_path / "ghost.zip")

    for address in ("/was/", "/was", "/first/", "/first", "/soon"):
        assert location(client, address) == "/one"
    assert location(client, "/on-trees/") == "/tag/All%20trees"
    assert client.get("/away/").status_code == 404
    assert missing(done) == {"/away": "Only redirects to posts and tags of the file are imported."}
    assert ["1 redirect", "Redirects from patterns are not imported, only those from single paths."] in done.left_out


def test_an_address_that_is_in_use_leads_to_the_post_that_had_it_first(import_file: Bring, client: FlaskClient) -> None:
    import_file(a_ghost_blog(a_ghost_post("one")))
    done = import_file(a_ghost_blog(a_ghost_post("one", uuid="other", title="Two")), taken="rename")

    assert location(client, "/one/") == "/one"
    assert location(client, "/p/one/") == "/one"
    assert location(client, "/p/other/") == "/one-2"
    assert missing(done) == {"/one": "It leads to /one."}


def test_hostile_addresses_in_a_file_lead_nowhere_else(import_file: Bring, client: FlaskClient) -> None:
    hostile = (
        "//evil.example/a",
        "\\\\evil.example",
        "https://evil.example//x",
        "/a\r\nLocation: x",
        "/%2F%2Fevil.example",
    )
    posts = [
        {"id": f"post_{number}", "title": f"T{number}", "content": "Words.", "slug": f"t{number}",
         "status": "published", "createdAt": "2023-01-01T10:00:00Z", "publishedAt": "2023-01-01T10:00:00Z",
         "oldAddresses": [address], "feedId": "x" * 600}
        for number, address in enumerate(hostile)
    ]  # fmt: skip
    listed = [{"address": address, "leadsTo": "https://evil.example/"} for address in ("/x", "/y/")]
    import_file(
        {"format": "blogsvc-export", "version": 1, "posts": posts, "oldAddresses": [*listed, 1, {"address": 2}]}
    )

    for path in ("//evil.example/a", "/a", "/x", "/y/", "/evil.example", "//x"):
        answer = client.get("/", environ_overrides={"PATH_INFO": path})
        assert answer.status_code in (400, 404) or answer.location in {f"/t{number}" for number in range(5)}, path
    assert len(client.get("/feed.json").json["items"]) == 5


def test_redirects_that_an_export_can_not_have_are_left_out(import_file: Bring, client: FlaskClient) -> None:
    redirects: list[Any] = [
        {"path": "/a", "target": "javascript:alert(1)", "status": 301},
        {"path": "/desk/x", "target": "/b", "status": 301},
        {"path": "/one", "target": "/two", "status": 301},
        {"path": "/two", "target": "/one", "status": 301},
        {"path": "/kept", "target": "/other", "status": 301},
        {"path": "/good", "target": "/", "status": 302},
        *(7, {"path": 1}, {"path": "/x", "target": "/y", "status": "301"}),
    ]
    manage.create("/kept", "/archive", 301, "https://blog.example")
    post = {"id": "p", "title": "T", "content": "Text.", "slug": "t", "status": "draft"}
    import_file({"format": "blogsvc-export", "version": 1, "posts": [post], "redirects": redirects})

    assert [client.get(path).status_code for path in ("/a", "/one", "/two", "/x")] == [404] * 4
    assert (client.get("/kept").location, client.get("/good").location) == ("/archive", "/")


def test_readers_see_imported_posts_under_their_old_ids(
    import_file: Bring, old_images: None, client: FlaskClient
) -> None:
    import_file(HERE / "wordpress.xml")
    import_file(HERE / "ghost.json", site="https://old.example")

    ids = {entry.link.rpartition("/")[2]: entry.id for entry in feedparser.parse(client.get("/rss.xml").data).entries}
    assert ids["ferries-friends"] == "https://old.example/?p=12"
    assert "6541a" in client.get("/rss.xml").text
    assert {item["id"] for item in client.get("/feed.json").json["items"]} >= {"https://old.example/?p=12", "6541a"}


@pytest.mark.parametrize("form", ["json", "markdown"])
def test_an_export_keeps_old_addresses_and_feed_ids(
    form: Any, import_file: Bring, old_images: None, client: FlaskClient, tools: Tools, outside: Outside,
    tmp_path: Path, elsewhere: Config,
) -> None:  # fmt: skip
    """A second instance answers the addresses of the first blog, and shows readers nothing twice."""
    import_file(HERE / "wordpress.xml")
    import_file(HERE / "ghost.json", site="https://old.example")
    addresses = (
        "/2019/05/ferries-friends/", "/?p=12", "/p/8a2f-1/", "/tag/sea/", "/category/travel/", "/author/ada/",
        "/2020/01/привет/", UPLOADS + "2019/05/ferry-1024x768.jpg", GHOST_IMAGES + "van.png",
    )  # fmt: skip
    for path, target, status in (("/made/*", "https://other.example/*", 302), ("/gone", None, 410)):
        manage.create(path, target, status, tools.config.public_url)
    manage.create("/mine", "/ferries-friends", 301, tools.config.public_url)
    first = {address: location(client, address) for address in addresses}
    ids = {item["id"] for item in client.get("/feed.json").json["items"]}
    for media in db.session.scalars(select(Media)):
        file = (tools.config.media / media.name).read_bytes()
        url = f"https://blog.example{media.path}"
        outside.teach("GET", url, status=200, body=file, headers={"Content-Type": media.media_type})
    file = export.to_file(form, tmp_path / ("out.json" if form == "json" else "out.zip"), tools)

    others = replace(tools, config=elsewhere)
    other = create_app(tools=others)
    with other.app_context():
        import_id = importing.receive_path(file, others).id
        importing.step(import_id, others)
        importing.begin(import_id, others, blog=True)
        while importing.step(import_id, others):
            pass
        done = ImportJob.get(import_id)
        assert missing(done) == {}
        second = {address: location(other.test_client(), address) for address in addresses}
        images = [address for address in addresses if "." in address]
        assert [second.pop(address).startswith("/media/") for address in images] == [True, True]
        assert second == {address: page for address, page in first.items() if address not in images}
        assert {item["id"] for item in other.test_client().get("/feed.json").json["items"]} == ids
        reader = other.test_client()
        assert reader.get("/made/a").location == "https://other.example/a"
        assert (reader.get("/gone").status_code, reader.get("/mine").location) == (410, "/ferries-friends")
        again = export.to_file(form, tmp_path / "again", others)
        if form == "json":

            def kept(path: Path) -> Any:
                return [
                    (post["oldAddresses"], post["feedId"])
                    for post in json.loads(path.read_text())["posts"]
                    if post["publishedAt"]
                ]

            assert kept(again) == kept(file)
            assert json.loads(again.read_text())["redirects"] == json.loads(file.read_text())["redirects"]
        else:
            with zipfile.ZipFile(file) as one, zipfile.ZipFile(again) as two:
                for name in ("old-addresses.json", "redirects.json"):
                    assert one.read(name) == two.read(name)
        close_connections()
