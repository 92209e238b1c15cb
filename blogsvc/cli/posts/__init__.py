"""`blogsvc post`: write, publish and list posts, here or on another server."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from tempfile import mkstemp
from typing import Any, TextIO

import click

from blogsvc.cli.posts import files
from blogsvc.cli.posts.push import push
from blogsvc.cli.posts.target import on_server
from blogsvc.cli.terminal import REFUSED, as_json, fail, show
from blogsvc.client import Client, Record
from blogsvc.client.types import DryRun, Post, Preview

# The errors of deliveries that wait for a person although nothing failed.
OPEN_ERRORS = ("not_connected", "late")

KINDS = click.Choice(["post", "page"])

to_option = click.option("--to", "platforms", metavar="NAME", multiple=True, help="A destination; may be repeated.")


@click.group("post")
def post() -> None:
    """Write, publish and list posts.

    The commands work with the data directory of this machine, or with the server at --url.

    The key and the URL come together: both from --url and --key, or both from BLOGSVC_URL and BLOGSVC_API_KEY. On a
    terminal, --url alone asks for the key.
    """


post.add_command(push)


@post.command("new")
@click.argument("file", required=False, type=click.File(encoding="utf-8"))
@click.option("-t", "--title", help="The title. Default: that of the front matter, or the first heading.")
@click.option("--tag", "tags", multiple=True, help="A tag; may be repeated.")
@click.option("--kind", type=KINDS, help="A post or a page. Default: that of the front matter, or post.")
@to_option
@click.option("--publish", is_flag=True, help="Publish the post at once.")
@as_json
@on_server
def new(
    client: Client,
    file: TextIO | None,
    title: str | None,
    tags: tuple[str, ...],
    kind: str | None,
    platforms: tuple[str, ...],
    publish: bool,
    as_json: bool,
) -> None:
    """Create a draft from FILE, Markdown with front matter, and print its id.

    Without FILE, the editor opens; `-` reads standard input. `scheduled: TIME` in the front matter schedules the post.
    """
    options = {"title": title, "tags": list(tags), "kind": kind, "platforms": list(platforms)}
    fields = {name: value for name, value in options.items() if value}
    if file:
        created = _created(client, file.read(), fields)
    else:
        with _edited(files.written(fields), "new-post") as text:
            if text is None:
                fail("Nothing was saved in the editor, so no post was created.", REFUSED)
            created = _created(client, text, fields)
    if publish:
        created = client.posts.publish(created.id)
    warn(created)
    _show(created, as_json, created.id)


@post.command("edit")
@click.argument("post_id", metavar="ID")
@on_server
def edit(client: Client, post_id: str) -> None:
    """Open a post in the editor ($VISUAL or $EDITOR), and save what changed.

    Changes to a published post are saved, and published with `blogsvc post publish`.
    """
    stored = client.posts.get(post_id)
    before = files.written(stored)
    with _edited(before, post_id) as text:
        if text is None or text == before:
            click.echo("Nothing changed.", err=True)
            return
        old, new = (files.parsed(one, takes_heading=False)[0] for one in (before, text))
        changes: dict[str, Any] = {name: new.get(name) for name in old | new if old.get(name) != new.get(name)}
        saved = client.posts.update(post_id, **changes, if_match=stored.response.etag)
    click.echo(f"Saved {_named(saved)}.")
    if saved.has_unpublished_changes:
        click.echo(f"To publish the changes, run: blogsvc post publish {post_id}", err=True)


@post.command("list")
@click.option("--kind", type=KINDS, default="post", show_default=True, help="Posts, or the pages of the blog.")
@click.option("--status", metavar="STATUS", multiple=True, help="Only this status, such as draft; may be repeated.")
@click.option("--tag", "tags", multiple=True, help="Only this tag; may be repeated.")
@to_option
@click.option("-q", "--search", metavar="WORDS", help="Only posts with these words.")
@click.option("-n", "--limit", type=click.IntRange(1), default=20, show_default=True, help="The number of posts.")
@as_json
@on_server
def list_posts(
    client: Client,
    kind: Any,
    status: tuple[Any, ...],
    tags: tuple[str, ...],
    platforms: tuple[str, ...],
    search: str | None,
    limit: int,
    as_json: bool,
) -> None:
    """List posts or pages, newest first."""
    page = client.posts.list(
        kind=kind,
        status=status or None,
        tag=tags or None,
        platform=platforms or None,
        q=search,
        limit=min(limit, 100),
    )
    posts = [one for _, one in zip(range(limit), page, strict=False)]
    if as_json:
        click.echo(json.dumps([dict(one) for one in posts], ensure_ascii=False, indent=2))
        return
    show(
        (
            {
                "id": one.id,
                "status": one.status,
                "title": one.title or "Untitled",
                "time": one["scheduledAt"] if one.status == "scheduled" else one["publishedAt"] or one["updatedAt"],
                "to": one.platforms,
            }
            for one in posts
        ),
        as_json=False,
    )


@post.command("show")
@click.argument("post_id", metavar="ID")
@as_json
@on_server
def show_post(client: Client, post_id: str, as_json: bool) -> None:
    """Print a post as Markdown with front matter, or as JSON as the API returns it."""
    found = client.posts.get(post_id)
    _show(found, as_json, files.written(found).rstrip("\n"))


@post.command("preview")
@click.argument("post_id", metavar="ID")
@to_option
@as_json
@on_server
def preview(client: Client, post_id: str, platforms: tuple[str, ...], as_json: bool) -> None:
    """Print what each destination would receive. Ends with exit code 1 if one can't receive the post."""
    _show_trials(client.posts.preview(post_id, platform=platforms or None), as_json)


@post.command("publish")
@click.argument("post_id", metavar="ID")
@to_option
@click.option("--wait", is_flag=True, help="Wait until the post has arrived everywhere, failed, or needs you.")
@click.option("--dry-run", is_flag=True, help="Show what each destination would receive, and change nothing.")
@as_json
@on_server
def publish(client: Client, post_id: str, platforms: tuple[str, ...], wait: bool, dry_run: bool, as_json: bool) -> None:
    """Publish a post, or its changes, now. The running server, or `blogsvc tick`, sends the copies."""
    if dry_run:
        _show_trials(client.posts.dry_run(post_id, **_some(platforms)), as_json)
        return
    sent = client.posts.publish(post_id, **_some(platforms))
    if wait:
        sent = client.posts.wait(post_id)
    _show(
        sent, as_json, f"{'Published' if sent.status == 'published' else 'Publishing'} {_named(sent)}.", *_copies(sent)
    )
    warn(sent)
    errors = ((one.platform, one.last_error) for one in sent.deliveries if one.last_error and wait)
    if failed := [f"{name}: {error.detail}" for name, error in errors if error.code not in OPEN_ERRORS]:
        fail("\n".join(failed), REFUSED)


@post.command("schedule")
@click.argument("post_id", metavar="ID")
@click.argument("when", metavar="TIME", type=files.Moment())
@to_option
@as_json
@on_server
def schedule(client: Client, post_id: str, when: datetime, platforms: tuple[str, ...], as_json: bool) -> None:
    """Publish a post at a TIME such as 2026-12-01T09:00, the local time of this machine, or with an offset."""
    sent = client.posts.publish(post_id, at=when, **_some(platforms))
    warn(sent)
    _show(sent, as_json, f"Scheduled {_named(sent)} for {when.strftime('%A, %d %B %Y, %H:%M (UTC%z)')}.")


@post.command("unpublish")
@click.argument("post_id", metavar="ID")
@as_json
@on_server
def unpublish(client: Client, post_id: str, as_json: bool) -> None:
    """Remove a post from the blog, and unpublish its copies where that is possible. The text stays."""
    _show(gone := client.posts.unpublish(post_id), as_json, f"Unpublished {_named(gone)}.")


def _created(client: Client, text: str, own_fields: dict[str, Any]) -> Post:
    fields = files.parsed(text)[0] | own_fields
    if not fields.get("title"):
        raise files.BadFile("The post has no title. Write `title: ...` in the front matter, or pass --title.")
    return client.posts.create(**fields)


@contextmanager
def _edited(text: str, name: str) -> Iterator[str | None]:
    """Yield the text as the user saved it in the editor, or None if they saved nothing.

    The editor's file is deleted only after the block succeeds, so that nothing can lose the text: no error, no Ctrl+C,
    and no terminal that is closed.
    """
    descriptor, path = mkstemp(prefix=f"{name}-", suffix=".md")
    file = Path(path)
    with open(descriptor, "w", encoding="utf-8", newline="\n") as out:
        out.write(text)
    os.utime(file, (0, 0))  # so that saving changes it also in file systems with whole seconds
    untouched = file.stat().st_mtime
    try:
        click.edit(filename=path)
        yield None if file.stat().st_mtime == untouched else file.read_text(encoding="utf-8-sig")
    except BaseException:
        if file.stat().st_mtime != untouched:
            click.echo(f"Your text is in {file}.", err=True)
        else:
            file.unlink()
        raise
    file.unlink()


def warn(document: Post | Preview | DryRun) -> None:
    """Print the warnings, such as that a destination has no account, to standard error."""
    for one in document.warnings:
        click.echo(f"Warning: {one.detail} {one.remediation}", err=True)


def _some(platforms: tuple[str, ...]) -> dict[str, Any]:
    return {"platforms": list(platforms)} if platforms else {}


def _show(document: Record, as_json: bool, *lines: str) -> None:
    click.echo(json.dumps(dict(document), ensure_ascii=False, indent=2) if as_json else "\n".join(lines))


def _show_trials(document: Preview | DryRun, as_json: bool) -> None:
    """Print what each destination would receive, and end with an exit code if one can't receive it."""
    lines = []
    for trial in document.platforms:
        lines += [click.style(f"{trial.platform}: {trial.operation}", bold=True)]
        lines += [f"  Warning: {warning}" for warning in trial.warnings]
        texts = ((name, value) for name, value in (trial.payload or {}).items() if value not in (None, "", []))
        lines += [f"  {name}: {value if isinstance(value, str) else _json(value)}".rstrip() for name, value in texts]
    _show(document, as_json, *lines)
    warn(document)
    if blocked := [f"{trial.platform}: {trial.error.detail}" for trial in document.platforms if trial.error]:
        fail("\n".join(blocked), REFUSED)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _named(document: Post) -> str:
    return f"“{document.title}” ({document.id})"


def _copies(document: Post) -> list[str]:
    return [f"  {one.platform}: {one.state}{f', {one.url}' if one.url else ''}" for one in document.deliveries]
