"""The text that a person posts by hand, in the forms that their page shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlsplit

from markupsafe import Markup

from blogsvc.connectors.base import Limit, by_part
from blogsvc.delivery.hand_over import Task, compared_text
from blogsvc.errors import TextRefused
from blogsvc.lib.media_names import keys_in
from blogsvc.lib.text.diff import DiffRun
from blogsvc.lib.text.length import length
from blogsvc.lib.text.plain import plain, word_count
from blogsvc.lib.workers import text_jobs
from blogsvc.models.media import Media, known
from blogsvc.web.framework.forms import unix_newlines
from blogsvc.web.media.media import size

# How many changed paragraphs can be copied with their formatting; the others are copied as Markdown.
MOST_RENDERED = 50


@dataclass(frozen=True)
class Counted:
    """A part of the text and how long it is."""

    name: str
    count: str
    is_over: bool = False


@dataclass(frozen=True)
class EditableField:
    """The title or text that the user may shorten before it is posted, with the limit of the platform."""

    name: Literal["title", "text"]
    text: str
    limit: Limit | None
    count: str
    is_over: bool
    is_prefilled: bool


@dataclass(frozen=True)
class TaskImage:
    """An image of the text. `path` is its address on this server, "" for an image on another website."""

    url: str
    alt: str
    name: str
    facts: str
    path: str = ""


@dataclass(frozen=True)
class ChangedParagraph:
    """A paragraph that differs from the copy. `new` is its new text, "" if it was removed, `html` the same rendered."""

    name: str
    runs: tuple[DiffRun, ...]
    new: str
    html: Markup


def text_context(task: Task, typed: str | None) -> dict[str, Any]:
    """Return the text of a task in the forms that the page shows.

    Args:
        typed: the title or text as the user has changed it, None if they have not.
    """
    prepared = task.hand_over
    assert prepared is not None
    is_article = task.connector.form == "article"
    return {
        "prepared": prepared,
        "html": _safe(prepared.html),
        "counts": _counts(task) if is_article else (),
        "editable": None if is_article else _field(task, typed),
        "images": _images(prepared.images),
        "warnings": task.payload.warnings if task.payload and task.connector.form != "link" else (),
        "paragraphs": _paragraphs(task),
        "longest_address": task.connector.longest_address,
        "editor": task.connector.editor_address(),
    }


def _counts(task: Task) -> tuple[Counted, ...]:
    """Return the length of the title, the tags and the text, with the limits of the platform."""
    prepared, connector = task.hand_over, task.connector
    assert prepared is not None
    limits = by_part(connector.limits)
    title = limits.get("title")
    counts = [_counted("Title", length(prepared.title, title.unit if title else "characters"), title)]
    if prepared.tags:
        most = f" of {limits['tags'].most}" if "tags" in limits else ""
        counts.append(Counted("Tags", f"{len(prepared.tags)}{most}: {', '.join(prepared.tags)}"))
    words = word_count(plain(prepared.html))  # without the numbers of lists
    counts.append(Counted("Text", f"{words:,} {'word' if words == 1 else 'words'}, no limit"))
    return tuple(counts)


def _counted(name: str, number: int, limit: Limit | None) -> Counted:
    if limit is None:
        return Counted(name, f"{number:,} characters, no limit")
    return Counted(name, f"{number:,} of {limit.amount}", number > limit.most)


def _field(task: Task, typed: str | None) -> EditableField:
    """Return the title of a link, or a short text: as typed, else as prepared."""
    prepared, connector = task.hand_over, task.connector
    assert prepared is not None
    name: Literal["title", "text"] = "title" if connector.form == "link" else "text"
    text = (prepared.title if name == "title" else prepared.text) if typed is None else typed
    text = unix_newlines(text)
    limit = by_part(connector.limits).get(name)
    number = connector.length_of(text, limit.unit if limit else "characters")
    count, over = f"{number:,} characters", 0
    if limit is not None:
        over = max(0, number - limit.most)
        rest = f". Remove {over:,}, or {connector.label} rejects it." if over else ""
        count = f"{number:,} of {limit.amount}{rest}"
    return EditableField(name, text, limit, count, over > 0, f"{{{name}}}" in connector.editor_address())


def _images(images: tuple[tuple[str, str], ...]) -> list[TaskImage]:
    """Return the images of the text, each once."""
    ours = known(key for url, _ in images for key in keys_in(url))
    by_url: dict[str, TaskImage] = {}
    for url, alt in images:
        media = next((ours[key] for key in keys_in(url) if key in ours), None)
        by_url.setdefault(url, _image_here(url, alt, media) if media else _image_elsewhere(url, alt))
    return list(by_url.values())


def _image_here(url: str, alt: str, media: Media) -> TaskImage:
    facts = f"{media.width} by {media.height}, {size(media.bytes)}"
    return TaskImage(url, alt, media.filename, facts, media.path)


def _image_elsewhere(url: str, alt: str) -> TaskImage:
    parts = urlsplit(url)
    return TaskImage(url, alt, parts.path.rpartition("/")[2] or parts.netloc, f"from {parts.netloc}")


def _paragraphs(task: Task) -> list[ChangedParagraph]:
    """Return the changed paragraphs, numbered as in the new text."""
    prepared = task.hand_over
    assert prepared is not None
    assert task.payload is not None
    lines = compared_text(task.payload).splitlines()
    paragraphs = []
    for line in task.changes:
        if line.new_number is None:
            paragraphs.append(ChangedParagraph("Removed paragraph", line.runs, "", Markup("")))
            continue
        before = sum(bool(each.strip()) for each in lines[: line.new_number])
        is_title = bool(prepared.title) and line.new_number == 1
        name = "Title" if is_title else f"Paragraph {before - bool(prepared.title)}"
        new = "".join(run.text for run in line.runs if run.kind != "removed")
        has_html = prepared.html and not is_title and len(paragraphs) < MOST_RENDERED
        html = _rendered(new) if has_html else Markup("")
        paragraphs.append(ChangedParagraph(name, line.runs, new, html))
    return paragraphs


def _rendered(paragraph: str) -> Markup:
    """Return a paragraph of Markdown as sanitised HTML, "" if it can't be rendered alone."""
    try:
        return _safe(text_jobs.render(paragraph))
    except TextRefused:
        return Markup("")


def _safe(html: str) -> Markup:
    from blogsvc.lib.markdown.sanitiser import sanitised

    return Markup(sanitised(html))  # noqa: S704 (sanitised)
