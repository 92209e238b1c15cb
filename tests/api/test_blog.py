"""The settings and the menus of the blog in the API."""

from __future__ import annotations

from collections.abc import Callable

from flask.testing import FlaskClient

from blogsvc.index_now import manage
from blogsvc.models import Post
from tests.api.faults import faults
from tests.api_client import Api, File
from tests.images import png

Make = Callable[..., Post]
MASTODON = {"label": "Mastodon", "url": "https://mastodon.example/@ada", "isMe": True}


def upload(api: Api, width: int, height: int) -> str:
    answer = api.post("/media", form={"file": File(png(width, height), "image.png")})
    return str(answer.json["id"])


def test_the_settings_of_the_blog_are_read_and_changed(api: Api, client: FlaskClient) -> None:
    assert api.get("/blog").json == {
        "title": "A blog",
        "description": "",
        "author": "",
        "language": "en",
        "slugScript": "latin",
        "securityContact": "",
        "aiPreference": "unset",
        "indexNow": False,
        "url": "https://blog.example",
        "icon": None,
        "logo": None,
        "logoDark": None,
        "socialLinks": [],
    }
    icon, logo = upload(api, 600, 600), upload(api, 300, 100)
    changed = api.patch("/blog", title="Ink", icon=icon, logoDark=logo, socialLinks=[MASTODON])
    assert changed.status_code == 200
    assert changed.json == api.get("/blog").json
    assert (changed.json["icon"], changed.json["logo"], changed.json["logoDark"]) == (icon, None, logo)
    assert changed.json["socialLinks"] == [MASTODON]
    assert '<a href="https://mastodon.example/@ada" rel="me">' in client.get("/").text
    assert client.get("/icon.svg").status_code == 404

    assert api.patch("/blog", icon=None).json["icon"] is None
    assert api.get("/blog").json["title"] == "Ink"


def test_titles_may_contain_joiners_of_scripts_and_emoji(api: Api, client: FlaskClient) -> None:
    title = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \U0001f468\u200d\U0001f469\u200d\U0001f467"
    assert api.patch("/blog", title=title, description=title, author=title).status_code == 200
    assert f'dir="auto">{title}</a></h1>' in client.get("/").text
    assert faults(api.patch("/blog", title="a\u0085b")) == {"#/title": "control_character"}


def test_the_contact_and_the_preference_about_ai_are_settings(api: Api, client: FlaskClient) -> None:
    changed = api.patch("/blog", securityContact="security@blog.example", aiPreference="no-training").json
    assert (changed["securityContact"], changed["aiPreference"]) == ("mailto:security@blog.example", "no-training")
    assert client.get("/").headers["Content-Usage"] == "train-ai=n"
    assert faults(api.patch("/blog", securityContact="me")) == {"#/securityContact": "invalid"}
    assert api.patch("/blog", aiPreference="never").status_code == 422


def test_search_engines_are_told_only_if_an_owner_wants_it(api: Api, client: FlaskClient) -> None:
    assert api.patch("/blog", indexNow=True).json["indexNow"] is True
    key = manage.public_key()
    assert client.get(f"/{key}.txt").text == key
    assert api.patch("/blog", title="Ink").json["indexNow"] is True
    assert api.patch("/blog", indexNow=False).json["indexNow"] is False
    assert client.get(f"/{key}.txt").status_code == 404
    assert faults(api.patch("/blog", indexNow="yes")) == {"#/indexNow": "wrong_type"}


def test_what_is_wrong_with_settings_is_said_at_each_field(api: Api) -> None:
    small = upload(api, 300, 100)
    answer = api.patch("/blog", title="", language="x_y", socialLinks=[MASTODON, {**MASTODON, "label": " "}])
    assert faults(answer) == {
        "#/title": "required",
        "#/language": "invalid",
        "#/socialLinks/1/label": "required",
    }
    assert faults(api.patch("/blog", icon=small, logoDark="med_none")) == {"#/icon": "invalid", "#/logoDark": "invalid"}
    assert faults(api.patch("/blog", socialLinks=[{**MASTODON, "url": "ftp://x"}])) == {
        "#/socialLinks/0/url": "not_a_url"
    }
    assert api.get("/blog").json["title"] == "A blog"


def test_a_dry_run_of_settings_changes_nothing(api: Api, client: FlaskClient) -> None:
    icon = upload(api, 512, 512)
    answer = api.patch("/blog?dryRun=true", title="Ink", icon=icon)
    assert (answer.json["title"], answer.json["icon"]) == ("Ink", icon)
    assert api.get("/blog").json["title"] == "A blog"
    assert client.get("/icon.svg").status_code == 200


def test_settings_that_have_changed_since_are_not_overwritten(api: Api) -> None:
    etag = api.get("/blog").headers["ETag"]
    assert api.patch("/blog", title="Ink").status_code == 200
    assert api.patch("/blog", title="Paper", headers={"If-Match": etag}).status_code == 412


def test_menus_are_replaced(api: Api, client: FlaskClient, a_post: Make) -> None:
    post = a_post(title="About us", kind="page")
    first = api.get("/navigation").json
    assert first["header"][0] == {"label": "Archive", "to": "archive"}
    header = [{"label": "About", "to": f"page:{post.id}"}, {"label": "Home", "to": "https://blog.example/"}]
    answer = api.put("/navigation", header=header, footer=[])
    assert answer.json == {
        "header": [header[0], {"label": "Home", "to": "/"}],
        "footer": [],
        "hidden": [f"page:{post.id}"],
    }
    assert api.put("/navigation", **answer.json).json == answer.json  # as it was read
    assert "<bdi>Home</bdi>" in client.get("/").text


def test_a_fault_of_a_menu_names_the_item(api: Api) -> None:
    header = [{"label": "", "to": "home"}, {"label": "A", "to": "page:post_none"}]
    answer = api.put("/navigation", header=header, footer=[{"label": "A", "to": "x y"}])
    assert faults(answer) == {
        "#/header/0/label": "required",
        "#/header/1/to": "invalid",
        "#/footer/0/to": "not_a_url",
    }
    assert faults(api.put("/navigation", header=[])) == {"#/footer": "required"}
    assert len(api.get("/navigation").json["header"]) == 3


def test_the_settings_need_a_scope(client: FlaskClient, new_key: Callable[..., str]) -> None:
    reader = Api(client, new_key("posts:read"))
    assert reader.get("/blog").status_code == 403
    watcher = Api(client, new_key("platforms:read"))
    assert watcher.get("/navigation").status_code == 200
    assert watcher.patch("/blog", title="Ink").status_code == 403
