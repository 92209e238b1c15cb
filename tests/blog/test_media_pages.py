"""Images for readers: the files, and the pages that show them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from xml.etree.ElementTree import Element

import pytest
from flask.testing import FlaskClient

from blogsvc.config import Config
from blogsvc.models import Post
from tests.api_client import Api, File
from tests.blog.reading import HOSTILE, attributes, classed, parse_page
from tests.images import FORMATS, an_image, animation, encoded, jpeg, opened
from tests.outside import Outside

Make = Callable[..., Post]
Upload = Callable[..., dict[str, Any]]


@pytest.fixture
def upload(api: Api) -> Upload:
    """Return a function that uploads an image and returns its document; by default a photo 1200 pixels wide."""

    def make(data: bytes | None = None, alt: str = "") -> dict[str, Any]:
        media = api.post("/media", form={"file": File(data or jpeg(1200, 90)), "alt": alt}).json
        return media | {"path": media["url"].removeprefix("https://blog.example")}

    return make


def page(client: FlaskClient, slug: str) -> Element:
    return parse_page(client.get(f"/{slug}").text)


def shown(client: FlaskClient, slug: str) -> list[dict[str, Any]]:
    """Return the attributes of the images in the text."""
    (content,) = classed(page(client, slug), "e-content")
    return attributes(content, "img")


@pytest.mark.parametrize("form", FORMATS)
def test_an_image_is_served_with_its_media_type_and_cached_as_immutable(
    client: FlaskClient, upload: Upload, form: str
) -> None:
    media = upload(encoded(an_image(600, 40), form))
    for url, kind in [(media["url"], f"image/{form.lower()}"), *((s["url"], "image/webp") for s in media["sizes"])]:
        with client.get(url) as answer:
            assert (answer.status_code, answer.mimetype) == (200, kind)
            assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
            assert answer.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert answer.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
            assert answer.headers["Content-Disposition"] == f"inline; filename={url.rpartition('/')[2]}"
            assert "Set-Cookie" not in answer.headers
            assert opened(answer.data).get_format_mimetype() == kind


@pytest.mark.parametrize(
    ("filename", "name"),
    [
        ("China 2019.JPG", r"china-2019-\w{10}\.jpg"),
        ("京都の駅.jpg", r"[a-z-]+-\w{10}\.jpg"),
        ("😀.jpg", r"[a-z-]+-\w{10}\.jpg"),
        ("../../etc/passwd", r"passwd-\w{10}\.jpg"),
        ("x" * 200 + ".jpg", r"x{40}-\w{10}\.jpg"),
        ("ferry-7k3m9q2xvb-480.webp", r"ferry-(?!7k3m)\w{10}\.jpg"),  # downloaded from a blog
    ],
)
def test_the_address_of_an_image_is_short_and_has_its_file_name(
    client: FlaskClient, api: Api, filename: str, name: str
) -> None:
    media = api.post("/media", form={"file": File(jpeg(1200, 90), filename)}).json
    assert re.fullmatch(rf"https://blog\.example/media/{name}", media["url"])
    assert [size["url"] for size in media["sizes"]] == [
        media["url"].replace(".jpg", f"-{size['width']}.webp") for size in media["sizes"]
    ]
    for each in (media, *media["sizes"]):
        with client.get(each["url"]) as answer:
            assert len(answer.data) == each["bytes"]


def test_images_of_one_file_name_have_addresses_that_nobody_can_guess(api: Api) -> None:
    """Who does not know the address of a draft's image does not see it."""
    files = [File(jpeg(200 + number), "ferry.jpg") for number in range(3)]
    urls = [api.post("/media", form={"file": file}).json["url"].removesuffix(".jpg") for file in files]
    assert len({url[-10:] for url in urls}) == 3


def test_an_image_supports_range_conditional_and_head_requests(client: FlaskClient, upload: Upload) -> None:
    media = upload()
    with client.get(media["path"]) as answer:
        whole, etag = answer.data, answer.headers["ETag"]
    assert len(whole) == media["bytes"]
    with client.get(media["path"], headers={"Range": "bytes=10-19"}) as part:
        assert (part.status_code, part.data) == (206, whole[10:20])
        assert part.headers["Content-Range"] == f"bytes 10-19/{len(whole)}"
    with client.get(media["path"], headers={"Range": f"bytes={len(whole)}-"}) as beyond:
        assert beyond.status_code == 416
    for condition in ({"If-None-Match": etag}, {"If-Modified-Since": answer.headers["Last-Modified"]}):
        with client.get(media["path"], headers=condition) as again:
            assert (again.status_code, again.data) == (304, b"")
            assert "immutable" in again.headers["Cache-Control"]
    with client.head(media["path"]) as head:
        assert (head.status_code, head.data, head.content_length) == (200, b"", len(whole))


PRIVATE = (
    "/media/",
    "/media/../secret.key",
    "/media/..%2fsecret.key",
    "/media/%2e%2e/blogsvc.db",
    "/media/..%5csecret.key",
    "/media//etc/passwd",
    "/media/%2fetc%2fpasswd",
    "/media/.half.blogsvc",
    "/media/secret.key",
    "/media/other.jpg",
    "/media/lisbon-7k3m9q2xvb.jpg",
    "/media/lisbon-7k3m9q2xvb.svg",
    "/media/lisbon-7k3m9q2xvb.jpg%00",
    "/media/lisbon-7k3m9q2xvb.jpg%0a",
    "/media/lisbon-7k3m9q2xvb.jpg/..",
)


def test_no_other_file_of_the_media_directory_is_served(client: FlaskClient, upload: Upload, config: Config) -> None:
    upload()
    for name in (".half.blogsvc", "other.jpg", "secret.key"):
        (config.media / name).write_bytes(b"not for readers")
    for path in PRIVATE:
        answer = client.get(path)
        assert answer.status_code in (400, 404), path
        assert b"not for readers" not in answer.data, path
        assert "immutable" not in answer.headers.get("Cache-Control", ""), path


def test_a_deleted_image_is_no_longer_served(client: FlaskClient, api: Api, upload: Upload) -> None:
    media = upload()
    api.delete(f"/media/{media['id']}")
    for each in (media, *media["sizes"]):
        assert client.get(each["url"]).status_code == 404


def test_a_page_offers_every_size_of_an_image_with_its_dimensions(
    client: FlaskClient, a_post: Make, upload: Upload
) -> None:
    media = upload(alt="A ferry")
    a_post(live=True, slug="ferry", content=media["markdown"])

    (image,) = shown(client, "ferry")
    paths = [size["url"].removeprefix("https://blog.example") for size in media["sizes"]]
    assert image["srcset"] == f"{paths[0]} 480w, {paths[1]} 960w, {paths[2]} 1200w"
    assert image["sizes"].endswith("calc(100vw - 2.8em)")
    assert (image["src"], image["width"], image["height"]) == (media["path"], "1200", "90")
    assert image["decoding"] == "async"


def cover_of(tree: Element) -> Element:
    (cover,) = classed(tree, "cover")
    return next(cover.iter("img"))


def test_images_after_the_first_are_loaded_lazily(client: FlaskClient, a_post: Make, upload: Upload) -> None:
    media = upload()
    text = f"![](https://elsewhere.example/a.png)\n\n{media['markdown']}\n\n{media['markdown']}"
    a_post(live=True, slug="three", content=text)
    a_post(live=True, slug="covered", content=text, cover_image=media["url"])

    assert [image.get("loading") for image in shown(client, "three")] == [None, "lazy", "lazy"]
    assert [image.get("loading") for image in shown(client, "covered")] == ["lazy", "lazy", "lazy"]
    cover = cover_of(page(client, "covered"))
    assert (cover.get("loading"), cover.get("fetchpriority")) == (None, "high")


def test_a_cover_is_shown_like_any_other_image(client: FlaskClient, a_post: Make, upload: Upload) -> None:
    media = upload(alt="A harbour")
    a_post(live=True, slug="ours", cover_image=media["url"])
    a_post(live=True, slug="theirs", cover_image="https://elsewhere.example/a.png?b=1&c=2")

    ours = cover_of(page(client, "ours"))
    assert (ours.get("alt"), ours.get("width"), ours.get("height")) == ("A harbour", "1200", "90")
    assert ours.get("srcset", "").endswith("1200w")
    theirs = cover_of(page(client, "theirs"))
    assert (theirs.get("src"), theirs.get("alt")) == ("https://elsewhere.example/a.png?b=1&c=2", "")
    assert theirs.get("srcset") is None


def test_the_alt_text_of_the_cover_is_on_the_page_and_in_link_previews(
    client: FlaskClient, a_post: Make, upload: Upload
) -> None:
    media = upload(alt="A harbour")
    elsewhere = "https://elsewhere.example/a.png"
    a_post(live=True, slug="own", cover_image=media["url"], cover_alt="Our harbour")
    a_post(live=True, slug="stored", cover_image=media["url"])
    a_post(live=True, slug="theirs", cover_image=elsewhere, cover_alt="A tram")
    a_post(live=True, slug="text", content=f"![A tree]({elsewhere})")
    a_post(live=True, slug="none", cover_image=elsewhere)

    for slug, alt in {"own": "Our harbour", "stored": "A harbour", "theirs": "A tram", "none": ""}.items():
        assert cover_of(page(client, slug)).get("alt") == alt
    previews = {slug: page(client, slug) for slug in ("own", "stored", "theirs", "text", "none")}
    assert {
        slug: [one["content"] for one in attributes(tree, "meta") if one.get("property") == "og:image:alt"]
        for slug, tree in previews.items()
    } == {
        "own": ["Our harbour"],
        "stored": ["A harbour"],
        "theirs": ["A tram"],
        "text": ["A tree"],
        "none": [],
    }


def test_the_stored_alt_text_is_used_where_the_post_has_none(client: FlaskClient, a_post: Make, upload: Upload) -> None:
    media = upload(alt="Stored")
    a_post(live=True, slug="words", content=f"![]({media['path']}) ![Written]({media['path']}) ![]({media['url']})")
    assert [image["alt"] for image in shown(client, "words")] == ["Stored", "Written", "Stored"]


def test_a_hostile_alt_text_is_shown_as_text(client: FlaskClient, a_post: Make, upload: Upload) -> None:
    media = upload(alt=HOSTILE)
    a_post(live=True, slug="hostile", content=f"![]({media['path']})", cover_image=media["url"])
    tree = page(client, "hostile")
    assert {image["alt"] for image in attributes(tree, "img")} == {HOSTILE}
    assert not any(name.startswith("on") for element in tree.iter() for name in element.attrib)


def test_a_changed_alt_text_shows_on_a_cached_page(client: FlaskClient, api: Api, a_post: Make, upload: Upload) -> None:
    media = upload(alt="Before")
    a_post(live=True, slug="words", content=f"![]({media['path']})")
    etag = client.get("/words").headers["ETag"]
    assert shown(client, "words")[0]["alt"] == "Before"

    api.patch(f"/media/{media['id']}", alt="After")
    assert client.get("/words", headers={"If-None-Match": etag}).status_code == 200
    assert shown(client, "words")[0]["alt"] == "After"


def test_a_page_still_renders_after_its_image_was_deleted_by_force(
    client: FlaskClient, api: Api, a_post: Make, upload: Upload
) -> None:
    media = upload(alt="Gone")
    a_post(live=True, slug="gone", content=f"![]({media['path']})")
    assert "srcset" in shown(client, "gone")[0]
    api.delete(f"/media/{media['id']}?force=true")
    assert shown(client, "gone") == [{"src": media["path"], "alt": "", "decoding": "async"}]


@pytest.mark.parametrize(
    "src", ["https://other.example{path}", "/elsewhere{path}", "//other.example{path}", "{path}x", "{name}"]
)
def test_images_with_other_addresses_are_not_treated_as_uploads(
    client: FlaskClient, a_post: Make, upload: Upload, src: str
) -> None:
    media = upload(alt="Ours")
    a_post(live=True, slug="x", content=f'<img src="{src.format(path=media["path"], name=media["path"][7:])}">')
    assert "srcset" not in shown(client, "x")[0]


def test_the_authors_own_width_is_kept(client: FlaskClient, a_post: Make, upload: Upload) -> None:
    a_post(live=True, slug="small", content=f'<img src="{upload()["path"]}" width="200" alt="Small">')
    (image,) = shown(client, "small")
    assert (image["width"], image.get("height"), image["alt"]) == ("200", None, "Small")
    assert "srcset" in image


def test_an_image_linked_in_one_size_keeps_that_size(client: FlaskClient, a_post: Make, upload: Upload) -> None:
    media = upload()
    a_post(live=True, slug="one", content=f"![]({media['sizes'][0]['url']})")
    (image,) = shown(client, "one")
    assert (image["width"], image["height"], image.get("srcset")) == ("480", "36", None)


def test_a_narrow_image_asks_for_no_more_than_its_width(client: FlaskClient, a_post: Make, upload: Upload) -> None:
    media = upload(encoded(an_image(300, 200), "PNG"))
    a_post(live=True, slug="narrow", content=media["markdown"])
    assert shown(client, "narrow")[0]["sizes"] == "(max-width: 300px) 100vw, 300px"


def test_the_full_size_of_a_huge_image_is_not_offered(client: FlaskClient, a_post: Make, upload: Upload) -> None:
    media = upload(jpeg(3000, 100))
    a_post(live=True, slug="huge", content=media["markdown"])
    sources = shown(client, "huge")[0]["srcset"].split(", ")
    assert [source.split()[1] for source in sources] == ["480w", "960w", "1600w", "2400w"]


def test_an_animation_is_shown_as_the_original_file(client: FlaskClient, a_post: Make, upload: Upload) -> None:
    media = upload(animation("GIF", 3, 600, 40))
    a_post(live=True, slug="moves", content=media["markdown"])
    (image,) = shown(client, "moves")
    assert (image["src"], image["width"], image.get("srcset")) == (media["path"], "600", None)


def test_feeds_contain_plain_images_with_absolute_urls(client: FlaskClient, a_post: Make, upload: Upload) -> None:
    media = upload(alt="A ferry")
    a_post(live=True, slug="ferry", content=media["markdown"])
    for feed in ("/feed.xml", "/feed.json"):
        text = client.get(feed).text
        assert media["url"] in text
        assert "srcset" not in text
        assert f'"{media["path"]}' not in text.replace("\\", "")


def test_other_platforms_get_absolute_image_urls_and_the_stored_alt_text(
    client: FlaskClient,
    a_post: Make,
    upload: Upload,
    connect: Callable[..., str],
    outside: Outside,
    tick: Callable[[], None],
) -> None:
    media = upload(alt="Stored")
    connect("hook")
    mention = f"https://other.example{media['path']}"
    a_post(live=True, platforms=["hook"], content=f"![]({media['path']}) and {mention}")
    tick()
    sent = outside.requests[0].json()
    assert f"![]({media['url']})" in str(sent)
    assert f'src=\\"{media["url"]}\\"' in outside.requests[0].body.decode()
    assert "srcset" not in str(sent)
    assert mention in str(sent)


@pytest.mark.parametrize(("own", "in_text", "sent"), [("Own", "Text", "Own"), ("", "Text", "Text"), ("", "", "Stored")])
def test_other_platforms_get_the_alt_text_of_the_cover(
    a_post: Make,
    upload: Upload,
    connect: Callable[..., str],
    outside: Outside,
    tick: Callable[[], None],
    own: str,
    in_text: str,
    sent: str,
) -> None:
    media = upload(alt="Stored")
    connect("hook")
    text = f"![{in_text}]({media['path']})" if in_text else "Words"
    a_post(live=True, platforms=["hook"], content=text, cover_image=media["url"], cover_alt=own)
    tick()
    assert outside.requests[0].json()["data"]["coverAlt"] == sent
