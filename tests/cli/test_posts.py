"""`blogsvc post`, on the data directory of this machine and on a server."""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from time import sleep
from typing import Any
from zipfile import ZipFile

import pytest
from click.testing import Result

from blogsvc.lib.time import utc_now
from blogsvc.models import Post
from blogsvc.posts import series
from tests.cli.conftest import Run, make_app
from tests.images import png
from tests.receiver import Receiver
from tests.running_server import Served, serving

INK = "---\ntitle: Ink\ntags: craft, paper\n---\n\nHello *ink*.\n"
Edit = Callable[[str, str], dict[str, str]]


@pytest.fixture
def edit(tmp_path: Path) -> Edit:
    """Return the environment with an editor that replaces a text in the file."""

    def editor(old: str, new: str) -> dict[str, str]:
        script = tmp_path / "editor"
        script.write_text(f'#!/bin/sh\nsed -i "s/{old}/{new}/" "$1"\n')
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        return {"EDITOR": str(script), "VISUAL": ""}

    return editor


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A directory with two posts, of which one has an image, and a file that is no post."""
    folder = tmp_path / "posts"
    (folder / "images").mkdir(parents=True)
    (folder / "images" / "ink.png").write_bytes(png())
    (folder / "ink.md").write_text(INK + "\n![A pot](images/ink.png)\n")
    (folder / "notes").mkdir()
    (folder / "notes" / "paper.md").write_text("# Paper\n\nMade of rags.\n")
    (folder / "README.md").write_text("# About this repository")
    return folder


def made(result: Result) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(result.stdout)
    return document


def posts(run: Run) -> dict[str, dict[str, Any]]:
    return {one["title"]: one for one in json.loads(run("post", "list", "--json").stdout)}


def test_a_post_is_written_edited_published_and_unpublished(run: Run, edit: Edit, environment: dict[str, str]) -> None:
    post_id = run("post", "new", "-", stdin=INK).stdout.strip()
    run("post", "edit", post_id, **edit("Hello", "Dear"))
    run("post", "publish", post_id)
    run("tick")
    listed = run("post", "list", "--status", "published").stdout
    assert (post_id in listed, "Ink" in listed) == (True, True)
    document = made(run("post", "show", post_id, "--json"))
    assert (document["content"], document["tags"], document["status"]) == (
        "Dear *ink*.",
        ["craft", "paper"],
        "published",
    )
    with make_app(environment) as app:
        assert "Dear <em>ink</em>" in app.test_client().get("/ink").text
    assert made(run("post", "unpublish", post_id, "--json"))["status"] == "unpublished"


def test_json_equals_the_json_of_the_api(run: Run, environment: dict[str, str]) -> None:
    document = made(run("post", "new", "-", "--json", stdin=INK))
    key = run("key", "create", "test").stdout.strip()
    with make_app(environment) as app:
        headers = {"Authorization": f"Bearer {key}"}
        assert app.test_client().get(f"/api/v1/posts/{document['id']}", headers=headers).json == document


def kept_text(stderr: str) -> str:
    """Return the text of the editor that a failed command kept in a file, and delete that file."""
    (path,) = re.findall(r"^Your text is in (.+)\.$", stderr, re.MULTILINE)
    text = Path(path).read_text()
    Path(path).unlink()
    return text


def test_what_was_written_in_the_editor_is_kept_if_it_cannot_be_saved(
    run: Run, edit: Edit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()  # not even the superuser can write into it
    post_id = run("post", "new", "-", stdin=INK).stdout.strip()
    refused = run("post", "edit", post_id, code=1, **edit('slug: \\"ink\\"', "slug: api"))
    assert "slug: The slug 'api' is already in use." in refused.stderr
    assert "slug: api" in kept_text(refused.stderr)
    broken = run("post", "edit", post_id, code=1, **edit("title:.*", "title: ["))
    assert "front matter is not YAML" in broken.stderr
    assert "title: [" in kept_text(broken.stderr)
    untitled = run("post", "new", code=1, **edit("title:", "summary: Black"))
    assert "summary: Black" in kept_text(untitled.stderr)
    run("post", "edit", post_id, **edit("Hello", "Hello"))
    assert made(run("post", "show", post_id, "--json"))["content"] == "Hello *ink*."
    unsaved = run("post", "new", code=1, EDITOR="true", VISUAL="")
    assert "Nothing was saved in the editor" in unsaved.stderr
    assert "Your text" not in unsaved.stderr


def test_what_was_written_in_the_editor_survives_ctrl_c(edit: Edit, tmp_path: Path) -> None:
    command = [str(Path(sys.executable).with_name("blogsvc")), "post", "new", "--title", "Ink"]
    with Receiver() as receiver:
        receiver.always("hang")
        server = {"BLOGSVC_URL": f"http://127.0.0.1:{receiver.port}", "BLOGSVC_API_KEY": "bsk_test"}
        env = os.environ | server | edit("Ink", "Black ink") | {"TMPDIR": str(tmp_path)}
        # A test run in the background of a shell ignores SIGINT, and so would the command.
        heeds = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
        running = subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True, preexec_fn=heeds)
        assert receiver.wait_for(1)
        running.send_signal(signal.SIGINT)
        stderr = running.communicate(timeout=20)[1]
    assert "Black ink" in kept_text(stderr)


def test_the_heading_of_an_untitled_draft_stays_in_its_text(run: Run, edit: Edit, a_post: Callable[..., Post]) -> None:
    post_id = a_post(title="", content="# My heading\n\nHello *ink*.").id
    run("post", "edit", post_id, **edit("Hello", "Dear"))
    document = made(run("post", "show", post_id, "--json"))
    assert (document["title"], document["content"]) == ("", "# My heading\n\nDear *ink*.")


def test_a_post_is_scheduled_for_a_local_time(run: Run) -> None:
    post_id = run("post", "new", "-", stdin=INK).stdout.strip()
    said = run("post", "schedule", post_id, "2030-01-01T09:00+01:00").stdout
    assert "Tuesday, 01 January 2030" in said
    assert posts(run)["Ink"]["scheduledAt"] == "2030-01-01T08:00:00.000Z"
    assert "'soon' is not a time" in run("post", "schedule", post_id, "soon", code=2).output


def test_a_dry_run_of_publishing_shows_what_is_sent(run: Run) -> None:
    post_id = run("post", "new", "-", stdin=INK).stdout.strip()
    said = run("post", "publish", post_id, "--dry-run").stdout
    assert ("site: create" in said, "title: Ink" in said) == (True, True)
    assert posts(run)["Ink"]["status"] == "draft"


def test_a_post_without_a_title_is_refused(run: Run) -> None:
    assert "The post has no title" in run("post", "new", "-", code=1, stdin="Only words").stderr
    assert posts(run) == {}


def test_a_directory_is_pushed_with_its_images_and_a_second_push_changes_nothing(run: Run, folder: Path) -> None:
    first = run("post", "push", str(folder)).stdout
    assert first.splitlines() == ["+ ink.md", "+ notes/paper.md", "2 created, 0 changed, 0 published, 0 unchanged."]
    before = posts(run)
    assert before["Paper"]["content"] == "Made of rags."
    assert "](http://127.0.0.1:8000/media/ink-" in before["Ink"]["content"]
    again = run("post", "push", str(folder)).stdout
    assert again == "0 created, 0 changed, 0 published, 2 unchanged.\n"
    assert posts(run) == before


def test_a_changed_file_changes_its_post_and_clears_what_it_no_longer_says(run: Run, folder: Path) -> None:
    run("post", "push", str(folder), "--publish")
    (folder / "ink.md").write_text("---\ntitle: Ink\n---\nBlack.\n")
    assert "0 created, 1 changed" in run("post", "push", str(folder), "--dry-run").stdout
    assert posts(run)["Ink"]["tags"] == ["craft", "paper"]
    assert run("post", "push", str(folder), "--publish").stdout.startswith("~ ink.md")
    changed = posts(run)["Ink"]
    assert (changed["content"], changed["tags"], changed["status"]) == ("Black.", [], "published")
    assert changed["hasUnpublishedChanges"] is False


def test_an_edit_after_the_time_of_a_scheduled_file_is_published(run: Run, folder: Path) -> None:
    at = utc_now() + timedelta(seconds=3)
    text = f"---\ntitle: Ink\nscheduled: {at.isoformat()}\n---\nBlack.\n"
    (folder / "ink.md").write_text(text)
    run("post", "push", str(folder), "--publish")
    sleep(max(0.0, (at - utc_now()).total_seconds()))
    run("tick")
    assert "2 unchanged" in run("post", "push", str(folder), "--publish").stdout
    (folder / "ink.md").write_text(text.replace("Black", "Blue"))
    run("post", "push", str(folder), "--publish")
    # Also if the time was so long ago that nothing can be scheduled for it.
    (folder / "notes" / "paper.md").write_text('+++\ntitle = "Paper"\nscheduled = 2020-01-01T09:00:00\n+++\nBlue.\n')
    run("post", "push", str(folder), "--publish")
    for title in ("Ink", "Paper"):
        one = posts(run)[title]
        assert (one["status"], one["content"], one["hasUnpublishedChanges"]) == ("published", "Blue.", False)


def test_a_post_that_was_changed_on_the_server_is_overwritten_only_by_force(run: Run, folder: Path, edit: Edit) -> None:
    run("post", "push", str(folder))
    run("post", "edit", posts(run)["Paper"]["id"], **edit("rags", "wood"))
    (folder / "notes" / "paper.md").write_text("# Paper\n\nMade of linen.\n")
    refused = run("post", "push", str(folder), code=1)
    assert "! notes/paper.md: The post" in refused.stderr
    assert "was changed on the server since the last push" in refused.stderr
    assert posts(run)["Paper"]["content"] == "Made of wood."
    run("post", "push", str(folder), "--force")
    assert posts(run)["Paper"]["content"] == "Made of linen."


def test_the_post_of_a_deleted_file_is_trashed_only_with_prune(run: Run, folder: Path) -> None:
    run("post", "push", str(folder))
    (folder / "ink.md").unlink()
    assert "ink.md: the file is gone; its post stays" in run("post", "push", str(folder)).stdout
    assert set(posts(run)) == {"Ink", "Paper"}
    run("post", "push", str(folder), "--prune")
    assert set(posts(run)) == {"Paper"}


def test_a_renamed_file_that_names_its_post_keeps_it(run: Run, folder: Path) -> None:
    run("post", "push", str(folder))
    before = posts(run)
    for name, title in (("ink.md", "Ink"), ("notes/paper.md", "Paper")):
        (folder / name).write_text(f"---\ntitle: {title}\nblogsvc_id: {before[title]['id']}\n---\nNew.\n")
    run("post", "push", str(folder))
    (folder / "ink.md").rename(folder / "notes" / "black.md")
    assert "black" not in run("post", "push", str(folder), "--prune", "--dry-run").stdout
    assert run("post", "push", str(folder), "--prune").stdout == "0 created, 0 changed, 0 published, 2 unchanged.\n"
    # A renamed file can have the former name of a deleted one.
    (folder / "notes" / "black.md").rename(folder / "notes" / "paper.md")
    assert "- notes/black.md: the file is gone" in run("post", "push", str(folder)).stdout
    assert {one["id"] for one in posts(run).values()} == {one["id"] for one in before.values()}
    run("post", "push", str(folder), "--prune")
    assert [one["id"] for one in posts(run).values()] == [before["Ink"]["id"]]


def test_no_post_is_trashed_if_a_file_could_not_be_pushed(run: Run, folder: Path) -> None:
    run("post", "push", str(folder))
    (folder / "ink.md").rename(folder / "black.md")
    (folder / "black.md").write_text("---\ntitle: [\n---\n")
    assert "- ink.md: the file is gone; its post stays" in run("post", "push", str(folder), "--prune", code=1).stdout
    assert set(posts(run)) == {"Ink", "Paper"}


def test_a_push_that_was_killed_after_a_post_was_created_does_not_create_it_again(run: Run, folder: Path) -> None:
    run("post", "push", str(folder))
    state = folder / ".blogsvc" / "posts.json"
    content = json.loads(state.read_text())
    (ours,) = content.values()
    del ours["posts"]["ink.md"]
    ours["begun"] = {"ink.md": posts(run)["Ink"]["createdAt"]}
    state.write_text(json.dumps(content))
    run("post", "push", str(folder))
    assert len(json.loads(run("post", "list", "--json").stdout)) == 2


def test_a_post_with_the_title_of_a_refused_file_is_not_overwritten(run: Run, folder: Path) -> None:
    run("post", "new", "-", stdin="# Weekly\n\nWritten in the browser.")
    (folder / "weekly.md").write_text("---\ntitle: Weekly\nslug: weekly\n---\nWritten in a file.\n")
    for _ in range(2):
        assert "'weekly' is already in use" in run("post", "push", str(folder), code=1).stderr
        assert posts(run)["Weekly"]["content"] == "Written in the browser."


def test_a_copied_file_does_not_overwrite_the_post_of_the_original(run: Run, folder: Path) -> None:
    run("post", "push", str(folder))
    head = f"---\ntitle: Ink\nblogsvc_id: {posts(run)['Ink']['id']}\n---\n"
    (folder / "ink.md").write_text(f"{head}Old.\n")
    run("post", "push", str(folder))
    (folder / "copy.md").write_text(f"{head}New.\n")
    refused = run("post", "push", str(folder), "--force", code=1)
    assert "! copy.md: `blogsvc_id` names the post of ink.md." in refused.stderr
    assert posts(run)["Ink"]["content"] == "Old."


def test_a_post_with_newer_text_than_its_export_is_overwritten_only_by_force(
    run: Run, edit: Edit, tmp_path: Path
) -> None:
    post_id = run("post", "new", "-", stdin=INK).stdout.strip()
    run("post", "publish", post_id)
    run("tick")
    run("export", str(tmp_path / "export.zip"))
    export = tmp_path / "export"
    ZipFile(tmp_path / "export.zip").extractall(export)
    before = posts(run)["Ink"]
    run("post", "edit", post_id, **edit("Hello", "Dear"))
    for options in (["--dry-run"], []):
        refused = run("post", "push", str(export), *options, code=1)
        assert f"The post {post_id} differs from the file, which is pushed for the first time" in refused.stderr
    assert posts(run)["Ink"]["content"] == "Dear *ink*."
    # What the message advises helps: a file with the same text as the post is pushed.
    run("post", "edit", post_id, **edit("Dear", "Hello"))
    run("post", "push", str(export))
    run("post", "edit", post_id, **edit("Hello", "Dear"))
    (file,) = (export / "posts").iterdir()
    file.write_text(file.read_text().replace("Hello", "Dear"))
    run("post", "push", str(export))
    after = posts(run)["Ink"]
    changed = {name for name in before if before[name] != after[name]}
    assert changed <= {"content", "hasUnpublishedChanges", "updatedAt", "revision"}
    file.write_text(file.read_text().replace("Dear", "My dear"))
    run("post", "push", str(export))
    assert posts(run)["Ink"]["content"] == "My dear *ink*."


def test_files_that_are_no_posts_fail_alone(run: Run, folder: Path) -> None:
    (folder / "broken.md").write_text("---\ntitle: [\n---\n")
    (folder / "latin.md").write_bytes(b"# Caf\xe9")
    refused = run("post", "push", str(folder), code=1)
    assert "! broken.md: Its front matter is not YAML" in refused.stderr
    assert "! latin.md: The file is not UTF-8." in refused.stderr
    assert set(posts(run)) == {"Ink", "Paper"}


def test_images_outside_of_the_directory_are_not_uploaded(run: Run, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(png())
    (folder / "ink.md").write_text("# Ink\n\n![x](../secret.png)\n")
    run("post", "push", str(folder))
    assert posts(run)["Ink"]["content"] == "![x](../secret.png)"


class TestOnAServer:
    @pytest.fixture
    def served(self, tmp_path: Path, shared_database_url: str) -> Iterator[Served]:
        with serving(tmp_path, shared_database_url) as served:
            yield served

    def test_posts_are_pushed_with_the_key_of_the_server(self, run: Run, folder: Path, served: Served) -> None:
        server = {"BLOGSVC_URL": f"http://127.0.0.1:{served.server.port}", "BLOGSVC_API_KEY": served.key}
        run("post", "push", str(folder), "--publish", **server)
        titles = {one["title"]: one["status"] for one in served.call("GET", "/posts").json["data"]}
        assert titles.keys() == {"Ink", "Paper"}
        assert "2 unchanged" in run("post", "push", str(folder), **server).stdout
        assert posts(run) == {}
        refused = run("post", "list", code=1, **server | {"BLOGSVC_API_KEY": "bsk_wrong"})
        assert "Send a valid API key" in refused.stderr
        refused = run("post", "list", "--url", server["BLOGSVC_URL"], code=2)
        assert "Pass --key together with --url." in refused.output
        refused = run("post", "list", code=2, BLOGSVC_URL=server["BLOGSVC_URL"])
        assert "Set BLOGSVC_API_KEY." in refused.output


class TestTheKeyAndItsServer:
    """The key and the URL come together: both from options, or both from the environment."""

    @pytest.fixture
    def one(self) -> Iterator[Receiver]:
        with Receiver(data=[], nextCursor=None) as receiver:
            yield receiver

    @pytest.fixture
    def other(self) -> Iterator[Receiver]:
        with Receiver(data=[], nextCursor=None) as receiver:
            yield receiver

    @pytest.fixture
    def on_a_terminal(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda stdin: True)

    def test_both_come_from_options_or_both_from_the_environment(
        self, run: Run, one: Receiver, other: Receiver
    ) -> None:
        environ = {"BLOGSVC_URL": url(one), "BLOGSVC_API_KEY": "bsk_one"}
        run("post", "list", "--url", url(other), "--key", "bsk_other", **environ)
        assert keys(other) == ["Bearer bsk_other"]
        assert one.connections == 0
        run("post", "list", **environ)
        assert keys(one) == ["Bearer bsk_one"]

    def test_the_key_of_the_environment_is_not_sent_to_the_url_of_an_option(
        self, run: Run, one: Receiver, other: Receiver
    ) -> None:
        for environ in ({}, {"BLOGSVC_URL": url(one)}):
            refused = run("post", "list", "--url", url(other), code=2, BLOGSVC_API_KEY="bsk_one", **environ)
            fix = "BLOGSVC_API_KEY is used only with BLOGSVC_URL. Pass --key together with --url."
            assert fix in refused.output
        assert (one.connections, other.connections) == (0, 0)

    def test_the_key_of_an_option_is_not_sent_to_the_url_of_the_environment(self, run: Run, one: Receiver) -> None:
        for environ in ({}, {"BLOGSVC_API_KEY": "bsk_one"}):
            refused = run("post", "list", "--key", "bsk_other", code=2, BLOGSVC_URL=url(one), **environ)
            fix = "BLOGSVC_URL is used only with BLOGSVC_API_KEY. Pass --url together with --key."
            assert fix in refused.output
        assert one.connections == 0

    def test_an_option_with_the_value_of_the_environment_changes_nothing(self, run: Run, one: Receiver) -> None:
        environ = {"BLOGSVC_URL": url(one), "BLOGSVC_API_KEY": "bsk_one"}
        same = (url(one), f"{url(one)}/", f"{url(one)}/api/v1/", url(one).replace("http", "HTTP"))
        for address in same:
            run("post", "list", "--url", address, **environ)
        run("post", "list", "--key", "bsk_one", **environ)
        assert keys(one) == ["Bearer bsk_one"] * (len(same) + 1)

    @pytest.mark.usefixtures("on_a_terminal")
    def test_a_terminal_asks_for_the_key_of_a_url(self, run: Run, one: Receiver, other: Receiver) -> None:
        for environ in ({}, {"BLOGSVC_URL": url(one)}):
            run("post", "list", "--url", url(other), stdin="bsk_other\n", BLOGSVC_API_KEY="bsk_one", **environ)
        assert keys(other) == ["Bearer bsk_other"] * 2
        assert one.connections == 0

    def test_a_key_without_a_server_is_refused(self, run: Run) -> None:
        assert "Pass --url together with --key." in run("post", "list", "--key", "bsk_one", code=2).output

    @pytest.mark.parametrize("blank", ["", " "])
    def test_a_blank_option_is_refused_and_does_not_select_the_data_directory(self, run: Run, blank: str) -> None:
        assert "--url is blank." in run("post", "list", "--url", blank, code=2).output
        assert "--url is blank." in run("post", "list", "--url", blank, "--key", "bsk_one", code=2).output
        refused = run("post", "list", "--url", "http://127.0.0.1:9", "--key", blank, code=2)
        assert "--key is blank." in refused.output
        assert "--key is blank." in run("post", "list", "--key", blank, code=2).output


def keys(receiver: Receiver) -> list[str | None]:
    """Return the value of the header Authorization of each request."""
    return [request.headers["Authorization"] for request in receiver.requests]


def url(receiver: Receiver) -> str:
    return f"http://127.0.0.1:{receiver.port}"


def test_a_post_for_a_platform_that_is_not_connected_is_published_with_a_warning(run: Run, folder: Path) -> None:
    shown = run("post", "new", "-", "--to", "site", "--to", "bsky", stdin=INK)
    assert "No account is connected as 'bluesky'." in shown.stderr
    published = run("post", "publish", shown.stdout.strip(), "--wait")
    assert published.stdout.startswith("Published")
    assert "bluesky: blocked" in published.stdout
    (folder / "ink.md").write_text(INK.replace("title: Ink", "title: Ink\nplatforms: site, wordpress"))
    pushed = run("post", "push", str(folder))
    assert pushed.stderr.count("No account is connected as 'wordpress'.") == 1
    assert "0 created, 0 changed" in run("post", "push", str(folder)).stdout


def test_a_post_is_written_as_a_part_of_a_series(run: Run, environment: dict[str, str]) -> None:
    with make_app(environment) as app, app.app_context():
        series.create({"title": "Boats"}, utc_now())
    text = "---\ntitle: One\nseries: boats\nseries_part: 2\n---\nHere."
    post = made(run("post", "new", "-", "--json", stdin=text))
    assert (post["series"], post["seriesPart"]) == ("boats", 2)
    assert 'series: "boats"\nseries_part: 2\n' in run("post", "show", post["id"]).output


def test_pages_are_written_and_listed_apart_from_posts(run: Run, edit: Edit) -> None:
    about = made(run("post", "new", "-", "--kind", "page", "--json", stdin="---\ntitle: About\n---\nWe."))
    assert (about["kind"], about["platforms"]) == ("page", ["site"])
    front_matter = "---\ntitle: Contact\nkind: page\nunlisted: true\nmeta_title: Write to us\n---\nHere."
    contact = made(run("post", "new", "-", "--json", stdin=front_matter))
    assert (contact["kind"], contact["isUnlisted"], contact["metaTitle"]) == ("page", True, "Write to us")
    assert 'kind: "page"\nunlisted: true\nmeta_title: "Write to us"\n' in run("post", "show", contact["id"]).output
    post = made(run("post", "new", "-", "--json", stdin=INK))
    assert "kind" not in run("post", "show", post["id"]).output

    assert [one["title"] for one in json.loads(run("post", "list", "--json").output)] == ["Ink"]
    pages = json.loads(run("post", "list", "--kind", "page", "--json").output)
    assert [one["title"] for one in pages] == ["Contact", "About"]
    run("post", "edit", about["id"], **edit("page", "post"))
    assert json.loads(run("post", "show", about["id"], "--json").output)["kind"] == "post"
