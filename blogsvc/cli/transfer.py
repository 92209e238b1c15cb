"""`blogsvc export` and `blogsvc import`."""

from __future__ import annotations

import shutil
from pathlib import Path
from time import monotonic, sleep

import click

from blogsvc.cli.backup import STDOUT
from blogsvc.cli.terminal import REFUSED, binary_stdout, fail, in_app, progress_of, quiet, show
from blogsvc.context import Tools
from blogsvc.delivery.after_kill import end_leases_of_ended_processes
from blogsvc.lib.progress import Report, silent
from blogsvc.models import db
from blogsvc.models.import_job import ImportedPost, ImportJob
from blogsvc.transfer import blog_parts, export, importing
from blogsvc.transfer.formats import FORMAT_LABELS, FORMATS, Format

A_MOMENT = 0.2  # seconds
PROGRESS_SECONDS = 0.5
OBSTACLES = {"known": "already imported", "taken": "slug already in use"}


@click.command("export")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path, allow_dash=True))
@click.option("--json", "as_json", is_flag=True, help="Export all fields as JSON. Default: Markdown in a zip.")
@quiet
@in_app
def export_command(tools: Tools, file: Path, as_json: bool, quiet: bool) -> None:
    """Export all posts to FILE. Markdown files and images in a zip, or JSON with all fields; without secrets.

    FILE must not exist; `-` is standard output.
    """
    form: export.Form = "json" if as_json else "markdown"
    if file == STDOUT:
        out = binary_stdout()
        with export.to_stream(form, tools) as made:
            shutil.copyfileobj(made, out)
        return
    with progress_of("Exporting", quiet) as report:
        target = export.to_file(form, file, tools, report)
    click.echo(target)


@click.command("import")
@click.argument("file", type=click.Path(exists=True, path_type=Path))
@click.option("--dry-run", is_flag=True, help="Show what would be imported, and change nothing.")
@click.option("--format", "chosen_format", type=click.Choice(FORMATS), help="The format of FILE. Default: detected.")
@click.option("--no-drafts", is_flag=True, help="Import published posts only.")
@click.option("--no-images", is_flag=True, help="Don't import images; keep their URLs.")
@click.option(
    "--keep-schedule", is_flag=True, help="Schedule posts that were scheduled. Default: import them as drafts."
)
@click.option("--rename", is_flag=True, help="Rename posts whose slug is in use. Default: skip them.")
@click.option(
    "--blog/--no-blog",
    default=None,
    help="Take over title, look, menus, icon and logo, unless you changed yours after the setup. Default: if no post is"
    " published yet.",
)
@quiet
@click.option("--site", default="", metavar="URL", help="The URL of the old blog, to resolve relative image URLs.")
@in_app
def import_command(
    tools: Tools,
    file: Path,
    dry_run: bool,
    chosen_format: Format | None,
    no_drafts: bool,
    no_images: bool,
    keep_schedule: bool,
    rename: bool,
    blog: bool | None,
    quiet: bool,
    site: str,
) -> None:
    """Import the posts of FILE.

    FILE is an export of WordPress, Ghost or blogsvc, or Markdown files in a zip or a directory. Published posts keep
    their dates and are not announced. A post that was imported before is skipped. If the command is interrupted, run it
    again: the server, `tick` or the same command continues.
    """
    end_leases_of_ended_processes(tools)
    job = importing.receive_path(file, tools, chosen_format)
    import_id, has_begun, shown = job.id, job.state == "running", 0
    if has_begun and dry_run:
        fail("An import of this file has begun. Run the command without --dry-run to continue it.", REFUSED)
    if has_begun:
        click.echo("Continuing the import of this file, with the options it began with.", err=True)
        blog = bool(job.choices["blog"])
    else:
        plan = _run_until_done(import_id, tools, "reading")
        if plan.state == "failed":
            error = plan.error or "The file cannot be read."
            importing.discard(import_id, tools)
            fail(error, REFUSED)
        blog = importing.takes_over_by_default() if blog is None else blog
        shown = len(plan.left_out)
        _show_plan(plan, ImportedPost.all_of(import_id))  # no variable: each transaction expires all posts held
        if dry_run:
            _show_parts(import_id, blog)
            _show_warnings(ImportedPost.all_of(import_id))
            return importing.discard(import_id, tools)
        importing.begin(
            import_id,
            tools,
            drafts=not no_drafts,
            images=not no_images,
            schedule=keep_schedule,
            taken="rename" if rename else "skip",
            site=site,
            blog=blog,
        )
    with progress_of("Importing", quiet) as report:
        done = _run_until_done(import_id, tools, "running", report)
    counts = done.counts()
    _show_parts(import_id, blog)
    _show_warnings(ImportedPost.all_of(import_id))
    _show_left_out(done, shown)
    _show_missing_addresses(done)
    if (old := done.old_addresses) and old["known"]:
        click.echo(f"{old['found']} of {old['known']} old addresses lead to a page here.")
    click.echo(f"{counts['made']} made, {counts['skipped']} skipped, {counts['failed']} failed.")
    if counts["failed"]:
        fail("Some posts could not be imported.", REFUSED)
    return None


def _run_until_done(import_id: str, tools: Tools, state: str, report: Report = silent) -> ImportJob:
    """Run the import until it leaves this state, and report the number of posts that are done.

    A running server may work on it at the same time.
    """
    shown_at = monotonic()
    while True:
        db.session.rollback()
        db.session.expire_all()
        job = ImportJob.get(import_id)
        if job.state != state:
            return job
        if state == "running" and monotonic() - shown_at > PROGRESS_SECONDS:
            counts, shown_at = job.counts(), monotonic()
            report(sum(counts.values()) - counts["waiting"], sum(counts.values()))
        if not importing.step(import_id, tools) and _is_at_work(import_id):
            sleep(A_MOMENT)


def _is_at_work(import_id: str) -> bool:
    """Return True if another process, such as the server, works on this import."""
    db.session.rollback()
    return ImportJob.get(import_id).is_at_work


def _show_warnings(entries: list[ImportedPost]) -> None:
    for entry in entries:
        is_done = entry.state in ("waiting", "made")
        if not is_done or entry.warnings:
            state = "" if entry.state == "waiting" else f" {entry.state}"
            click.echo(f"{entry.slug}:{state}{'. ' + entry.detail if entry.detail else ''}", err=True)
            for warning in entry.warnings:
                click.echo(f"  {warning}", err=True)


def _show_plan(plan: ImportJob, entries: list[ImportedPost]) -> None:
    label = FORMAT_LABELS.get(plan.format, plan.format)  # type: ignore[call-overload]
    click.echo(f"{label}, {len(entries)} posts:", err=True)
    rows = [
        {
            "slug": entry.slug,
            "status": entry.status,
            "title": entry.title[:60],
            "will be": f"skipped: {OBSTACLES[entry.obstacle]}" if entry.obstacle else "made",
            "warnings": len(entry.warnings) or None,
        }
        for entry in entries
    ]
    show(rows, False)
    _show_left_out(plan)
    _show_missing_addresses(plan)
    if (old := plan.old_addresses) and old["known"]:
        click.echo(f"{old['found']} of {old['known']} old addresses will lead to a page here.", err=True)


def _show_left_out(job: ImportJob, begin: int = 0) -> None:
    for title, reason in job.left_out[begin:]:
        click.echo(f"Left out: {title}. {reason}", err=True)


def _show_parts(import_id: str, blog: bool) -> None:
    """Show what of the old blog itself is taken over, or was, if that is wanted."""
    for part in blog_parts.parts(ImportJob.get(import_id)) if blog else ():
        replaced = f"{part.replaced} → " if part.replaced else ""
        click.echo(f"{part.label}: {replaced}{part.text}{f' ({part.note})' if part.note else ''}", err=True)


def _show_missing_addresses(job: ImportJob) -> None:
    old = job.old_addresses or {"known": 0, "found": 0, "missing": []}
    for address, reason in old["missing"]:
        click.echo(f"{address}: {reason}", err=True)
    if rest := old["known"] - old["found"] - len(old["missing"]):
        click.echo(f"And {rest} other old addresses.", err=True)
