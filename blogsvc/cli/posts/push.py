"""`blogsvc post push`: keep posts in step with a directory of Markdown files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal

import click

from blogsvc.cli.posts import files
from blogsvc.cli.posts.push_state import Entry, PushState, fingerprint
from blogsvc.cli.posts.pushed_file import PushedFile, digest_of
from blogsvc.cli.posts.target import explanation, on_server
from blogsvc.cli.terminal import REFUSED, fail, progress
from blogsvc.client import APIError, Client, NotFoundError
from blogsvc.client.types import Post
from blogsvc.lib.time import parse, stamp, utc_now
from blogsvc.transfer.formats.sites.read import is_of_site
from blogsvc.transfer.formats.sites.text import is_text

Change = Literal["create", "update", "publish", "none"]
SIGNS: dict[Change, str] = {"create": "+", "update": "~", "publish": "^", "none": "="}
DONE: dict[Change, str] = {"create": "created", "update": "changed", "publish": "published", "none": "unchanged"}
# How far the clocks of this machine and of the server may differ.
CLOCK_DIFFERENCE = timedelta(days=1)


@click.command("push")
@click.argument("directory", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--dry-run", is_flag=True, help="Show what would be done, and change nothing.")
@click.option(
    "--publish",
    is_flag=True,
    help="Publish new and changed posts, except those with `draft: true` or with a `scheduled` time to come.",
)
@click.option("--prune", is_flag=True, help="Move the posts of deleted files to the trash. Default: keep them.")
@click.option("--force", is_flag=True, help="Overwrite changes that were made to the posts on the server.")
@click.option("-q", "--quiet", is_flag=True, help="Print errors only.")
@on_server
def push(client: Client, directory: Path, dry_run: bool, publish: bool, prune: bool, force: bool, quiet: bool) -> None:
    """Create and update the posts of all Markdown files in DIRECTORY, with their images.

    New posts are drafts, unless --publish is given or `scheduled: TIME` is in the front matter. A file that has not
    changed since the last push is skipped. DIRECTORY/.blogsvc/posts.json says which file is which post: keep it with
    the files. If a push is interrupted, run it again.
    """
    state = PushState.load(directory, client.base_url)
    paths = {path.relative_to(directory).as_posix(): path for path in _markdown_files(directory)}
    work = Push(client, state, paths.keys(), is_dry_run=dry_run, is_to_publish=publish, is_forced=force)
    done: Counter[Change] = Counter()
    lines, errors = [], []
    # Lines are printed after the bar, which they would break.
    with progress(paths.items(), "Pushing", quiet) as items:
        for name, path in items:
            try:
                change = work.push(name, PushedFile(path, directory))
            except (files.BadFile, APIError, OSError) as error:
                errors.append(f"! {name}: {explanation(error) if isinstance(error, APIError) else error}")
                continue
            done[change] += 1
            lines += [f"{SIGNS[change]} {name}"] if change != "none" else []
    for name in sorted(state.entries.keys() - paths.keys()):
        if not prune:
            lines.append(f"- {name}: the file is gone; its post stays. Use --prune to trash it.")
        elif errors:  # a file that failed can be this one with a new name
            lines.append(f"- {name}: the file is gone; its post stays until all files are pushed.")
        else:
            work.remove(name)
            lines.append(f"- {name}")
    lines.append(f"{'Dry run: ' if dry_run else ''}{', '.join(f'{done[key]} {word}' for key, word in DONE.items())}.")
    if not quiet:
        click.echo("\n".join(lines))
    for warning in work.warnings:
        click.echo(f"Warning: {warning}", err=True)
    if errors:
        click.echo("\n".join(errors), err=True)
        fail(f"{len(errors)} {'file was' if len(errors) == 1 else 'files were'} not pushed.", REFUSED)


def _markdown_files(directory: Path) -> list[Path]:
    """Return the Markdown files that are posts, sorted by path, without those in hidden directories."""
    paths = ((path.relative_to(directory), path) for path in directory.rglob("*") if is_text(path.name))
    return sorted(
        path
        for name, path in paths
        if path.is_file() and not is_of_site(name.as_posix()) and not any(part.startswith(".") for part in name.parts)
    )


@dataclass(frozen=True)
class Push:
    """Brings posts in step with files. The state is saved after each step, so that a push can be interrupted."""

    client: Client
    state: PushState
    names: Set[str]
    is_dry_run: bool
    is_to_publish: bool
    is_forced: bool
    # What the server warned about, once each, in order.
    warnings: dict[str, None] = field(default_factory=dict)

    def push(self, name: str, file: PushedFile) -> Change:
        """Bring the post of a file in step with it. Returns what was done, or would be. Raises BadFile and APIError."""
        self._follow_renaming(name, file)
        entry = self.state.entries.get(name) or self._known(name, file)
        publishes = self.is_to_publish and file.is_publishable
        change: Change = "none"
        if entry is None:
            change = "create"
        elif entry.sent != file.digest:
            change = "update"
        elif publishes and entry.published != file.digest:
            change = "publish"
        post = self._post_of(entry, file) if entry is not None and change == "update" else None
        if change == "none" or self.is_dry_run:
            return change
        if entry is None:
            entry = self._create(name, file)
        elif post is not None:
            self._update(name, entry, post, file)
        if publishes:
            self.client.posts.publish(entry.id)
            entry.published = file.digest
            self.state.save()
        return change

    def remove(self, name: str) -> None:
        """Move the post of a file that is gone to the trash."""
        if self.is_dry_run:
            return
        with suppress(NotFoundError):
            self.client.posts.delete(self.state.entries[name].id)
        del self.state.entries[name]
        self.state.save()

    def _follow_renaming(self, name: str, file: PushedFile) -> None:
        """Give a file the entry of the post that it names, if another file that is gone had that entry.

        Raises BadFile if that other file is still there.
        """
        if not file.post_id:
            return
        entries = self.state.entries
        former = next((one for one, entry in entries.items() if entry.id == file.post_id), name)
        if former == name:
            return
        if former in self.names:
            raise files.BadFile(f"`blogsvc_id` names the post of {former}. Remove this line from one of the two files.")
        moved = entries.pop(former)
        if name in entries:  # the entry of a file that is gone too, since this file replaced it
            entries[former] = entries[name]
        entries[name] = moved
        if not self.is_dry_run:
            self.state.save()

    def _known(self, name: str, file: PushedFile) -> Entry | None:
        """Return the post of a file that was not pushed yet: the one it names, or one of an interrupted push."""
        with suppress(NotFoundError):
            if file.post_id:
                return Entry(self.client.posts.get(file.post_id).id)
        if name not in self.state.begun:
            return None
        pushed = {entry.id for entry in self.state.entries.values()}
        since = parse(self.state.begun[name]) - CLOCK_DIFFERENCE
        found = (one for one in self.client.posts.list(created_after=since, limit=100) if one.id not in pushed)
        return next((Entry(one.id) for one in found if self._is_as(one, file, {"title", "content"})), None)

    def _post_of(self, entry: Entry, file: PushedFile) -> Post:
        """Return the post. Raises BadFile if it was deleted, or has changes by somebody else that the file lacks."""
        try:
            post = self.client.posts.get(entry.id)
        except NotFoundError as error:
            raise files.BadFile(
                f"The post {entry.id} was deleted on the server. Restore it, or delete the file."
            ) from error
        is_ours = entry.saved == fingerprint(post) or self._is_as(post, file, file.names.union(entry.names))
        if not (is_ours or self.is_forced):
            first = "differs from the file, which is pushed for the first time"
            how = "was changed on the server since the last push" if entry.saved else first
            raise files.BadFile(
                f"The post {entry.id} {how}. Copy the changes from `blogsvc post show {entry.id}` into the file,"
                " or overwrite them with --force."
            )
        return post

    def _is_as(self, post: Post, file: PushedFile, names: Set[str]) -> bool:
        """Return True if the post has the values of the file in these arguments."""
        theirs = files.parsed(files.written(post), takes_heading=False)[0]
        ours = file.arguments(lambda image: self.state.images.get(digest_of(image), ""))
        return all((theirs.get(name) or None) == (ours.get(name) or None) for name in names)

    def _create(self, name: str, file: PushedFile) -> Entry:
        fields = file.arguments(self._url_of)
        self.state.begun[name] = stamp(utc_now())
        self.state.save()
        post = self.client.posts.create(**fields)
        self._note_warnings(post)
        return self._saved(name, Entry(post.id), post, file)

    def _update(self, name: str, entry: Entry, post: Post, file: PushedFile) -> None:
        cleared: dict[str, Any] = dict.fromkeys(set(entry.names) - file.names)
        fields = cleared | file.arguments(self._url_of)
        saved = self.client.posts.update(entry.id, **fields, if_match=post.response.etag)
        self._note_warnings(saved)
        self._saved(name, entry, saved, file)

    def _note_warnings(self, post: Post) -> None:
        self.warnings.update(dict.fromkeys(f"{one.detail} {one.remediation}" for one in post.warnings))

    def _saved(self, name: str, entry: Entry, post: Post, file: PushedFile) -> Entry:
        entry.sent, entry.names, entry.saved = file.digest, sorted(file.names), fingerprint(post)
        if file.is_scheduled:
            entry.published = file.digest
        self.state.entries[name] = entry
        self.state.begun.pop(name, None)
        self.state.save()
        return entry

    def _url_of(self, image: Path) -> str:
        """Return the URL of an image, which is uploaded once."""
        digest = digest_of(image)
        if digest not in self.state.images:
            self.state.images[digest] = self.client.media.upload(image).url
            self.state.save()
        return self.state.images[digest]
