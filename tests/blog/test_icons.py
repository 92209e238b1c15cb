"""The icon and the logos of the blog, as browsers, phones, feed readers and search engines get them."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from io import BytesIO
from xml.etree import ElementTree

import pytest
from flask.testing import FlaskClient
from PIL import Image

from blogsvc.context import Tools
from blogsvc.errors import InUse, Invalid
from blogsvc.lib.time import utc_now
from blogsvc.media import images
from blogsvc.media.site_images import choose_site_images
from blogsvc.models import Author, Media, Post, setting, transaction
from blogsvc.models.media import conditions, newest
from blogsvc.models.site_images import SiteImage, site_images
from blogsvc.models.theme import Theme, save_theme
from tests.blog.reading import attributes, parse_page
from tests.images import encoded, opened, png

Make = Callable[..., Post]
# Files have the real time.
LATER = utc_now() + timedelta(days=2)
SIZES = {"/apple-touch-icon.png": 180, "/-/icon/32.png": 32, "/-/icon/192.png": 192, "/-/icon/512.png": 512}


def choose(tools: Tools, name: SiteImage, data: bytes) -> Media:
    media = images.add(data, f"{name}.png", "", tools)
    choose_site_images({name: media.id}, tools)
    return media


def picture(client: FlaskClient, path: str) -> Image.Image:
    answer = client.get(path)
    assert (answer.status_code, answer.mimetype) == (200, "image/png")
    return opened(answer.data)


def half_transparent(side: int = 600) -> bytes:
    image = Image.new("RGBA", (side, side), "#ff0000")
    image.paste((0, 0, 0, 0), (0, 0, side, side // 2))
    return encoded(image, "PNG")


def test_the_icon_of_the_owner_is_served_in_all_sizes(client: FlaskClient, tools: Tools) -> None:
    choose(tools, "icon", half_transparent())
    for path, size in SIZES.items():
        image = picture(client, path)
        assert image.size == (size, size)
        assert image.getpixel((size // 2, size - 2))[:3] == (255, 0, 0)
        top = image.getpixel((size // 2, 1))
        assert top == (0xFD, 0xFC, 0xFA) if path == "/apple-touch-icon.png" else top[3] == 0
    assert client.get("/-/icon/64.png").status_code == 404
    assert client.get("/icon.svg").status_code == 404


def test_the_favicon_is_a_real_ico_file(client: FlaskClient, tools: Tools) -> None:
    for _ in ("letter", "icon"):
        answer = client.get("/favicon.ico")
        assert answer.mimetype == "image/x-icon"
        assert Image.open(BytesIO(answer.data), formats=("ICO",)).size == (32, 32)
        choose(tools, "icon", half_transparent())


def test_the_middle_of_an_icon_that_is_not_square_is_cut_out(client: FlaskClient, tools: Tools) -> None:
    image = Image.new("RGB", (1200, 600), "#0000ff")
    image.paste("#00ff00", (300, 0, 900, 600))
    choose(tools, "icon", encoded(image, "PNG"))
    shown = picture(client, "/-/icon/192.png").convert("RGB")
    assert all(shown.getpixel(at)[1] > 250 for at in ((2, 96), (189, 96), (96, 2)))


def test_an_icon_that_is_too_small_is_refused(client: FlaskClient, tools: Tools) -> None:
    with pytest.raises(Invalid, match=r"at least 512 pixels wide and high\. This image has 600 × 500 pixels"):
        choose(tools, "icon", png(600, 500))
    with pytest.raises(Invalid, match="There is no image"):
        choose_site_images({"logo": "med_none"}, tools)
    assert site_images() == {}


def test_without_an_icon_the_first_letter_of_the_title_is_drawn(client: FlaskClient, app: object) -> None:
    with transaction():
        setting.describe_blog({"title": "«Ärger» & mehr"})
        save_theme(Theme(color="#aa0000"), utc_now())
    svg = ElementTree.fromstring(client.get("/icon.svg").data)
    assert "".join(svg.itertext()) == "Ä"
    for path, size in SIZES.items():
        image = picture(client, path)
        colors = image.convert("RGB").getcolors(size * size) or []
        assert image.size == (size, size)
        assert {(0xAA, 0, 0), (255, 255, 255)} <= {color for _, color in colors}


@pytest.mark.parametrize("title", ["日本", "🚢 ships", "&", "👍🏽 well"])
def test_every_title_has_an_icon(client: FlaskClient, title: str) -> None:
    with transaction():
        setting.describe_blog({"title": title})
    ElementTree.fromstring(client.get("/icon.svg").data)
    colors = picture(client, "/-/icon/192.png").convert("RGB").getcolors(192 * 192) or []
    assert len(colors) > 1


def test_pages_and_feeds_name_the_icon(client: FlaskClient, tools: Tools, a_post: Make) -> None:
    a_post(live=True)
    before = client.get("/feed.json").json["icon"]
    choose(tools, "icon", half_transparent())
    page = parse_page(client.get("/").text)
    icons = [link["href"] for rel in ("icon", "apple-touch-icon") for link in attributes(page, "link", rel=rel)]
    assert [path.partition("?")[0] for path in icons] == ["/favicon.ico", "/-/icon/192.png", "/apple-touch-icon.png"]
    for path in icons:
        assert client.get(path).status_code == 200

    (link,) = attributes(page, "link", rel="manifest")
    manifest = client.get(link["href"])
    document = json.loads(manifest.data)
    assert manifest.mimetype == "application/manifest+json"
    assert (document["name"], document["display"]) == ("A blog", "browser")
    for icon in document["icons"]:
        assert f"{opened(client.get(icon['src']).data).width}x" in icon["sizes"]
    assert "manifest-src 'self'" in client.get("/").headers["Content-Security-Policy"]

    feed = client.get("/feed.json").json
    assert before != feed["icon"]
    assert all(feed[name].startswith("https://blog.example/-/icon/") for name in ("icon", "favicon"))
    assert "<icon>https://blog.example/-/icon/192.png?v=" in client.get("/feed.xml").text


def test_only_the_address_of_the_current_icon_is_kept_for_a_year(client: FlaskClient, tools: Tools) -> None:
    choose(tools, "icon", half_transparent())
    (icon, *_) = json.loads(client.get("/site.webmanifest").data)["icons"]
    assert "immutable" in client.get(icon["src"]).headers["Cache-Control"]
    for path in ("/-/icon/192.png", "/-/icon/192.png?v=1", "/favicon.ico?v=1"):
        assert client.get(path).headers["Cache-Control"] == "public, no-cache"


def test_the_files_of_an_icon_stay_as_long_as_its_image(client: FlaskClient, tools: Tools) -> None:
    first = choose(tools, "icon", half_transparent())
    files = lambda media: tools.config.storage.names(f"media/{media.key}-")  # noqa: E731
    assert {f"media/{first.key}-{size}.png" for size in (32, 180, 192, 512)} <= set(files(first))
    images.remove_orphans(tools.config, LATER)
    assert client.get("/icon.svg").status_code == 404
    images.remove(first.id, tools.config, lambda _: None, force=True)
    assert client.get("/icon.svg").status_code == 200
    images.remove_orphans(tools.config, LATER)
    assert files(first) == []


def test_an_icon_whose_files_are_missing_is_a_letter(client: FlaskClient, tools: Tools) -> None:
    media = choose(tools, "icon", half_transparent())
    tools.config.storage.remove(tools.config.storage.names(f"media/{media.key}"))
    assert picture(client, "/-/icon/192.png").size == (192, 192)


def test_a_logo_stands_for_the_title_in_the_header(client: FlaskClient, tools: Tools, a_post: Make) -> None:
    a_post(live=True, slug="one")
    light, dark = choose(tools, "logo", png(1000, 250)), choose(tools, "logo_dark", png(900, 250))
    (logo,) = parse_page(client.get("/one").text).iter("picture")
    (image,), (source,) = attributes(logo, "img"), attributes(logo, "source")
    assert (image["alt"], image["width"], image["height"]) == ("A blog", "1000", "250")
    assert image["src"] == light.path
    assert "480w" in image["srcset"]
    assert source["media"] == "(prefers-color-scheme: dark)"
    assert dark.sizes[0]["name"] in source["srcset"]

    home = parse_page(client.get("/").text)
    (heading,) = home.iter("h1")
    assert attributes(heading, "img")[0]["alt"] == "A blog"
    assert f"<logo>https://blog.example{light.path}</logo>" in client.get("/feed.xml").text

    (script,) = parse_page(client.get("/one").text).iter("script")
    publisher = json.loads(script.text or "")["publisher"]
    assert publisher["name"] == "A blog"
    assert publisher["logo"]["url"] == f"https://blog.example{light.path}"


def test_pages_that_are_always_light_or_dark_have_one_logo(client: FlaskClient, tools: Tools) -> None:
    light, dark = choose(tools, "logo", png(1000, 250)), choose(tools, "logo_dark", png(900, 250))
    for scheme, shown in (("light", light), ("dark", dark)):
        with transaction():
            save_theme(Theme(scheme=scheme), utc_now())
        (logo,) = parse_page(client.get("/tags").text).iter("picture")
        assert [image["src"] for image in attributes(logo, "img")] == [shown.path]
        assert attributes(logo, "source") == []
    choose_site_images({"logo_dark": None}, tools)
    (logo,) = parse_page(client.get("/tags").text).iter("picture")
    assert [image["src"] for image in attributes(logo, "img")] == [light.path]


def test_images_of_the_blog_and_of_authors_are_used(client: FlaskClient, tools: Tools) -> None:
    logo, icon = choose(tools, "logo", png(300, 100)), choose(tools, "icon", half_transparent())
    face, other = images.add(png(90, 90), "ada.png", "", tools), images.add(png(91, 90), "x.png", "", tools)
    with transaction():
        Author.of("Ada", tools.now()).picture_id = face.id

    assert [media.id for media in newest(conditions("unused"), None, 9)[0]] == [other.id]
    for media, place in ((logo, "the logo of the blog"), (icon, "the icon of the blog"), (face, "the picture of Ada")):
        with pytest.raises(InUse, match=f"This image is {place}."):
            images.remove(media.id, tools.config, lambda _: None)

    images.remove(logo.id, tools.config, lambda _: None, force=True)
    assert list(site_images()) == ["icon"]
    assert "<picture" not in client.get("/tags").text
