"""`blogsvc blog`: the title, description, icon, logos, menus and social links of the blog."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, BinaryIO

import click

from blogsvc.cli.terminal import as_json, in_app, pairs_of, show
from blogsvc.context import Tools
from blogsvc.index_now import manage
from blogsvc.media import images
from blogsvc.media.site_images import choose_site_images
from blogsvc.models import setting, transaction
from blogsvc.models.navigation import PLACES, read_menus
from blogsvc.models.site_images import SITE_IMAGES, site_images
from blogsvc.navigation.menus import save_menus
from blogsvc.navigation.social_links import own_links, save_social_links

SWITCH = {"on": True, "off": False}
A_JSON_FILE = click.File("rb")


@click.command()
@click.option(
    "--set",
    "settings",
    metavar="FIELD=VALUE",
    multiple=True,
    help="One of title, description, author, language, slug_script (latin or native), security_contact,"
    " ai_preference (unset, no-training or no-ai-use), index_now (on or off), or icon, logo, logo_dark: an"
    " image file or the id of an image, nothing to remove it. FIELD=- reads the value from standard input.",
)
@click.option("--menus", type=A_JSON_FILE, help='Replace the menus: {"header": [{"label", "to"}], "footer": []}.')
@click.option("--social", type=A_JSON_FILE, help='Replace the social links: [{"label", "url", "is_me"}].')
@as_json
@in_app
def blog(
    tools: Tools, settings: tuple[str, ...], menus: BinaryIO | None, social: BinaryIO | None, as_json: bool
) -> None:
    """Show or change the settings of the blog.

    With --json, its menus and social links are shown, too.
    """
    given = pairs_of(settings)
    index_now = given.pop("index_now", None)
    if index_now not in (None, *SWITCH):
        raise click.UsageError("index_now must be on or off.")
    chosen = {name: given.pop(name) for name in SITE_IMAGES if name in given}
    if given:
        with transaction():
            setting.describe_blog(given)
    if index_now is not None:
        manage.switch(on=SWITCH[index_now])
    if chosen:
        choose_site_images({name: _image(value, tools) for name, value in chosen.items()}, tools)
    if menus is not None:
        sent = _read(menus, dict)
        rows = {place: _rows(sent.get(place), ("label", "to")) for place in PLACES}
        save_menus(rows, tools.config.public_url)
    if social is not None:
        save_social_links([{"is_me": True, **row} for row in _rows(_read(social, list), ("label", "url"))])
    lists = {
        "menus": {place: [item._asdict() for item in items] for place, items in read_menus().items()},
        "social": [link._asdict() for link in own_links()],
    }
    ids = site_images()
    described = {**setting.blog(), "index_now": "on" if manage.is_on() else "off"}
    show([{**described, **{name: ids.get(name) for name in SITE_IMAGES}, **(lists if as_json else {})}], as_json)


def _image(value: str, tools: Tools) -> str | None:
    """Return the id of an image: that of the library, or that of a file, which is added to it."""
    file = Path(value)
    return images.add(file.read_bytes(), file.name, "", tools).id if value and file.is_file() else value or None


def _read(file: BinaryIO, kind: type) -> Any:
    try:
        parsed = json.loads(file.read())
    except ValueError as error:
        raise click.UsageError(f"{file.name} is not JSON: {error}.") from error
    if not isinstance(parsed, kind):
        raise click.UsageError(f"{file.name} must contain {'an object' if kind is dict else 'a list'}.")
    return parsed


def _rows(rows: Any, names: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return objects with texts under these names."""
    found = rows if isinstance(rows, list) else [] if rows is None else [rows]
    if any(not isinstance(row, dict) or not all(isinstance(row.get(name), str) for name in names) for row in found):
        raise click.UsageError(f"Each entry must have the texts {' and '.join(names)}.")
    return found
