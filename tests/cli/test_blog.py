"""`blogsvc blog`: images, menus and social links."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run
from tests.cli.test_cli import rows
from tests.images import png


def test_an_icon_is_set_from_a_file_and_removed(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "icon.png"
    file.write_bytes(png(512, 512))
    (blog,) = rows(run("blog", "--set", f"icon={file}", "--json"))
    assert blog["icon"].startswith("med_")
    assert rows(run("blog", "--set", f"logo={blog['icon']}", "--json"))[0]["logo"] == blog["icon"]
    assert rows(run("blog", "--set", "icon=", "--json"))[0]["icon"] is None

    file.write_bytes(png(64, 64))
    assert "at least 512 pixels" in run("blog", "--set", f"icon={file}", code=1).stderr


def test_index_now_is_switched_on_and_off(run: Run) -> None:
    assert rows(run("blog", "--json"))[0]["index_now"] == "off"
    assert rows(run("blog", "--set", "index_now=on", "--json"))[0]["index_now"] == "on"
    assert "index_now must be on or off" in run("blog", "--set", "index_now=yes", code=2).stderr
    assert rows(run("blog", "--set", "index_now=off", "--json"))[0]["index_now"] == "off"


def test_menus_and_social_links_are_read_from_files(run: Run, tmp_path: Path) -> None:
    (blog,) = rows(run("blog", "--json"))
    menus = {"header": [{"label": "Home", "to": "home"}], "footer": blog["menus"]["footer"]}
    menus_file, social_file = tmp_path / "menus.json", tmp_path / "social.json"
    menus_file.write_text(json.dumps(menus))
    social_file.write_text(json.dumps([{"label": "Mastodon", "url": "https://mastodon.example/@ada"}]))
    (blog,) = rows(run("blog", "--menus", str(menus_file), "--social", str(social_file), "--json"))
    assert blog["menus"] == menus
    assert blog["social"] == [{"label": "Mastodon", "url": "https://mastodon.example/@ada", "is_me": True}]

    menus_file.write_text('{"header": [{"label": "Home"}]}')
    assert "Each entry must have the texts label and to" in run("blog", "--menus", str(menus_file), code=2).stderr
    menus_file.write_text("[")
    assert "is not JSON" in run("blog", "--menus", str(menus_file), code=2).stderr
    menus_file.write_text('{"header": [{"label": "Home", "to": "nowhere"}]}')
    assert "Enter a path of this blog" in run("blog", "--menus", str(menus_file), code=1).stderr
    assert rows(run("blog", "--json"))[0]["menus"] == menus
