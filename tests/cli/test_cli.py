"""The command line, run with environment variables on an instance of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from cryptography.fernet import Fernet

from blogsvc import Config, create_app
from blogsvc.lib.time import utc_now
from blogsvc.posts import editing, publishing
from tests.api_client import Api, File
from tests.cli.conftest import Run, make_app
from tests.images import jpeg
from tests.receiver import Receiver, free_port

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
backed_up_here = pytest.mark.sqlite("tests/cluster/test_moving.py backs up PostgreSQL")


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver


def rows(result: Result) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(result.stdout)
    return found


def connect(run: Run, receiver: Receiver, **more: Any) -> Result:
    fields = ("--set", f"url={receiver.url}", "--set", "secret=-")
    return run("connection", "add", "webhook", "--name", "hook", *fields, stdin=SECRET + "\n", **more)


def test_key_create_prints_only_the_key_on_stdout(run: Run) -> None:
    result = run("key", "create", "laptop", "--scopes", "posts:read, posts:write")
    key = result.stdout.removesuffix("\n")
    assert key.startswith("bsk_")
    assert len(key) == 44
    assert "You won't see it again" in result.stderr
    (row,) = rows(run("key", "list", "--json"))
    assert (row["name"], row["scopes"], row["state"]) == ("laptop", ["posts:read", "posts:write"], "valid")
    assert key not in json.dumps(row)


def test_a_key_works_until_it_is_revoked(run: Run, environment: dict[str, str]) -> None:
    key = run("key", "create", "laptop").stdout.strip()
    bearer = {"Authorization": f"Bearer {key}"}
    with make_app(environment) as app:
        assert app.test_client().get("/api/v1/me", headers=bearer).status_code == 200
        (row,) = rows(run("key", "list", "--json"))
        assert "has been revoked" in run("key", "revoke", row["id"]).stdout
        assert app.test_client().get("/api/v1/me", headers=bearer).status_code == 401
    assert rows(run("key", "list", "--json"))[0]["state"] == "revoked"


def test_a_key_can_expire(run: Run) -> None:
    run("key", "create", "short", "--expires", "2999-01-01T00:00:00Z")
    (row,) = rows(run("key", "list", "--json"))
    assert row["expires"] == "2999-01-01T00:00:00.000Z"


def me_status(environment: dict[str, str], key: str) -> int:
    """Return the status of GET /me with this key."""
    with make_app(environment) as app:
        return app.test_client().get("/api/v1/me", headers={"Authorization": f"Bearer {key}"}).status_code


@pytest.mark.parametrize(("overlap", "left"), [((), 200), (("--overlap", "0.5"), 200), (("--overlap", "0"), 401)])
def test_key_rotate_prints_only_the_new_key_and_the_old_one_ends_after_the_overlap(
    run: Run, environment: dict[str, str], overlap: tuple[str, ...], left: int
) -> None:
    old = run("key", "create", "laptop", "--scopes", "posts:read", "--limit", "read=5").stdout.strip()
    (row,) = rows(run("key", "list", "--json"))
    result = run("key", "rotate", row["id"], *overlap)
    new = result.stdout.removesuffix("\n")
    assert new.startswith("bsk_")
    assert "You won't see it again" in result.stderr
    first, second = rows(run("key", "list", "--json"))
    same = ("name", "scopes", "limits")
    assert [second[name] for name in same] == [first[name] for name in same] == ["laptop", ["posts:read"], ["read=5"]]
    assert first["expires"] is not None
    assert (me_status(environment, old), me_status(environment, new)) == (left, 200)


def test_key_change_changes_only_the_given_options(run: Run) -> None:
    run("key", "create", "laptop", "--limit", "read=5", "--limit", "write=6", "--expires", "2999-01-01T00:00:00Z")
    (row,) = rows(run("key", "list", "--json"))
    assert "desk (bsk_" in run("key", "change", row["id"], "--name", "desk").stdout
    run("key", "change", row["id"], "--scopes", "posts:read", "--limit", "read=", "--limit", "publish=7")
    run("key", "change", row["id"], "--expires", "never")
    (changed,) = rows(run("key", "list", "--json"))
    assert (changed["name"], changed["scopes"], changed["expires"]) == ("desk", ["posts:read"], None)
    assert changed["limits"] == ["write=6", "publish=7"]


def test_a_revoked_key_cannot_be_rotated_or_changed(run: Run) -> None:
    run("key", "create", "laptop")
    (row,) = rows(run("key", "list", "--json"))
    run("key", "revoke", row["id"])
    assert "This key is revoked" in run("key", "rotate", row["id"], code=1).stderr
    assert "This key is revoked" in run("key", "change", row["id"], "--name", "x", code=1).stderr


def test_lists_are_printed_as_tables_by_default(run: Run) -> None:
    assert run("key", "list").stdout == "Nothing yet.\n"
    run("key", "create", "laptop")
    head, line = run("key", "list").stdout.splitlines()
    assert head.split()[:2] == ["ID", "NAME"]
    assert "laptop" in line


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("key", "create", "x", "--scopes", "everything"), 1, "There is no scope 'everything'"),
        (("key", "create", "x", "--expires", "2020-01-01T00:00:00Z"), 1, "must be in the future"),
        (("key", "create", "x", "--expires", "tomorrow"), 2, "is not a valid time"),
        (("key", "create"), 2, "Missing argument"),
        (("key", "create", "x", "--scopes", ""), 1, "at least one scope"),
        (("key", "create", ""), 1, "1 to 100 characters"),
        (("key", "create", "x", "--limit", "read=0"), 1, "1 to 1000000 requests per minute"),
        (("key", "create", "x", "--limit", "reads=5"), 1, "Limits are read, write, publish"),
        (("key", "create", "x", "--limit", "read=many"), 2, "whole number"),
        (("key", "create", "x", "--limit", "read"), 2, "is not TIER=CALLS"),
        (("key", "revoke", "key_nothing"), 1, "There is no key 'key_nothing'"),
        (("key", "rotate", "key_nothing"), 1, "There is no key 'key_nothing'"),
        (("key", "rotate", "key_nothing", "--overlap", "721"), 2, "is not in the range"),
        (("key", "change", "key_nothing", "--name", "x"), 1, "There is no key 'key_nothing'"),
        (("connection", "add", "nowhere"), 1, "There is no connector 'nowhere'"),
        (("connection", "add", "webhook"), 1, "Enter the URL"),
        (("connection", "add", "webhook", "--set", "url"), 2, "is not FIELD=VALUE"),
        (("connection", "add", "webhook", "--set", "url=https://a.example", "--set", "x=1"), 1, "has no setting 'x'"),
        (("connection", "verify", "nowhere"), 1, "There is no connection named 'nowhere'"),
        (("connection", "remove", "nowhere"), 1, "There is no connection named 'nowhere'"),
        (("connection", "remove", "site"), 1, "the built-in blog"),
        (("connection", "change", "nowhere", "--name", "x"), 1, "There is no connection named 'nowhere'"),
        (("connection", "add", "folder", "--set", "path=/etc"), 3, "BLOGSVC_FOLDERS"),
        (("restore", "/nonexistent"), 2, "No such file or directory"),
        (("dance",), 2, "No such command"),
    ],
)
def test_an_error_is_one_sentence_on_stderr_with_an_exit_code(
    run: Run, words: tuple[str, ...], code: int, told: str
) -> None:
    result = run(*words, code=code)
    assert told in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("PORT", "eighty"),
        ("BLOGSVC_GRACE_SECONDS", "nan"),
        ("BLOGSVC_SECRET_KEY", "too-short"),
        ("BLOGSVC_DATABASE_URL", "nonsense"),
        ("BLOGSVC_INSTANCE", "/dev/null/instance"),
    ],
)
def test_an_invalid_setting_exits_with_code_4(run: Run, variable: str, value: str) -> None:
    assert "BLOGSVC_" in run("key", "list", code=4, **{variable: value}).stderr or variable == "PORT"


def test_the_blog_settings_can_be_changed(run: Run, environment: dict[str, str]) -> None:
    assert json.loads(run("blog", "--json").stdout)[0]["title"] == "A blog"
    run("blog", "--set", "title=Ink & paper", "--set", "language=de-AT", "--set", "slug_script=native")
    assert json.loads(run("blog", "--json").stdout)[0]["slug_script"] == "native"

    with make_app(environment) as app:
        page = app.test_client().get("/").text
    assert 'dir="auto">Ink &amp; paper</a></h1>' in page
    assert '<html lang="de-AT">' in page


@pytest.mark.parametrize(
    "fault", ["titel=x", "title=", "slug_script=runes", "language=german!", "description=" + "x" * 301]
)
def test_an_invalid_blog_setting_changes_nothing(run: Run, fault: str) -> None:
    run("blog", "--set", "author=Somebody", "--set", fault, code=1)
    assert json.loads(run("blog", "--json").stdout)[0]["author"] == ""


def test_a_port_in_use_exits_with_code_4(run: Run, receiver: Receiver) -> None:
    said = run("serve", code=4, PORT=str(receiver.port)).stderr
    assert f"Port {receiver.port} is already in use. Set PORT to another port." in said


@pytest.mark.parametrize("host", ["nowhere.invalid", "http://127.0.0.1", "192.0.2.1"])
def test_a_host_that_is_not_of_this_machine_exits_with_code_4(run: Run, host: str) -> None:
    assert "Set HOST to an address of this machine" in run("serve", code=4, HOST=host, PORT=str(free_port())).stderr


@backed_up_here
def test_backup_and_export_never_overwrite_a_file(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "kept"
    file.write_text("Kept")
    for command in ("backup", "export"):
        assert f"{file} already exists" in run(command, str(file), code=1).stderr
    assert file.read_text() == "Kept"


@backed_up_here
def test_backup_and_export_write_to_standard_output(run: Run, tmp_path: Path) -> None:
    run("post", "new", "-", stdin="# Ink")
    assert b"Ink" in run("export", "--json", "-").stdout_bytes
    file = tmp_path / "backup.tar.gz"
    file.write_bytes(run("backup", "-").stdout_bytes)
    target = tmp_path / "restored"
    command = [Path(sys.executable).with_name("blogsvc"), "restore", "-"]
    with file.open("rb") as backup:
        subprocess.run(command, env={"BLOGSVC_INSTANCE": str(target)}, stdin=backup, check=True)
    assert "Ink" in run("post", "list", BLOGSVC_INSTANCE=str(target), BLOGSVC_DATABASE_URL="").stdout


def test_a_misspelt_variable_is_warned_of(run: Run) -> None:
    assert "Did you mean BLOGSVC_THREADS?" in run("key", "list", BLOGSVC_THREDS="8").stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_of_a_shell_is_printed(run: Run, shell: str) -> None:
    assert "_BLOGSVC_COMPLETE" in run("completion", shell).stdout


def test_a_connection_can_be_added_listed_verified_and_removed(run: Run, receiver: Receiver) -> None:
    assert connect(run, receiver).stdout == "Connected hook to 127.0.0.1.\n"
    (row,) = rows(run("connection", "list", "--json"))
    assert (row["name"], row["connector"], row["health"]) == ("hook", "webhook", "ok")
    assert SECRET not in json.dumps(row)
    assert "Verified hook: " in run("connection", "verify", "hook").stdout
    assert [seen.json()["type"] for seen in receiver.requests] == ["ping", "ping"]
    assert "taken" not in connect(run, receiver, code=1).stderr
    run("connection", "remove", "hook")
    assert rows(run("connection", "list", "--json")) == []


def test_a_platform_that_rejects_the_connection_exits_with_code_3(run: Run, receiver: Receiver) -> None:
    receiver.will("410")
    connect(run, receiver, code=3)
    assert rows(run("connection", "list", "--json")) == []
    connect(run, receiver)
    receiver.will("410")
    run("connection", "verify", "hook", code=3)
    assert rows(run("connection", "list", "--json"))[0]["health"] == "disconnected"


def test_a_connection_is_changed_once_the_platform_accepts_the_new_settings(run: Run, receiver: Receiver) -> None:
    connect(run, receiver)
    assert run("connection", "change", "hook", "--name", "desk").stdout == "Changed desk.\n"
    receiver.will("410")
    run("connection", "change", "desk", "--set", "headers=X-Pass: sesame", code=3)
    assert "secret: whsec_" in run("connection", "change", "desk", "--set", "secret=").stdout
    assert [row["name"] for row in rows(run("connection", "list", "--json"))] == ["desk"]


def test_a_folder_can_be_connected_only_where_the_setting_allows(run: Run, tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    words = ("connection", "add", "folder", "--set", f"path={site}")
    run(*words, code=3)
    assert run(*words, BLOGSVC_FOLDERS=f"/nowhere, {tmp_path}").stdout == "Connected folder to site.\n"


def test_private_addresses_are_rejected_unless_the_setting_allows_them(run: Run, receiver: Receiver) -> None:
    connect(run, receiver, code=3, BLOGSVC_ALLOW_PRIVATE_ADDRESSES="0")
    assert receiver.requests == []


def test_connection_kinds_lists_the_fields_of_each_connector(run: Run) -> None:
    kinds = {row["key"]: row["fields"] for row in rows(run("connection", "kinds", "--json"))}
    assert kinds["webhook"] == ["url", "secret?", "headers?"]


def a_due_post(environment: dict[str, str]) -> None:
    """Create a post for `hook` that is due since a second."""
    now = utc_now()
    with make_app(environment) as app, app.app_context():
        post = editing.create({"title": "Hello", "content": "World"}, ["site", "hook"], now)
        publishing.schedule(post, now - timedelta(seconds=1), now)


def test_extra_copies_are_listed_and_removed(run: Run) -> None:
    assert run("delivery", "extra-copies", "--json").stdout.strip() in ("", "[]")
    unknown = run("delivery", "remove-extra-copies", "dlv_1", code=1)
    assert "There is no delivery 'dlv_1'." in unknown.stderr


def test_tick_publishes_and_delivers_due_posts_once(run: Run, receiver: Receiver, environment: dict[str, str]) -> None:
    connect(run, receiver)
    a_due_post(environment)
    run("tick")
    run("tick")
    assert [seen.json()["type"] for seen in receiver.requests] == ["ping", "post.published"]


@backed_up_here
def test_a_restored_backup_contains_what_was_backed_up(
    run: Run, receiver: Receiver, environment: dict[str, str], tmp_path: Path
) -> None:
    key = run("key", "create", "laptop").stdout.strip()
    connect(run, receiver)
    a_due_post(environment)
    file = tmp_path / "elsewhere" / "all.tar.gz"
    assert run("backup", str(file)).stdout == f"{file}\n"
    assert file.stat().st_mode & 0o777 == 0o600

    there = {"BLOGSVC_INSTANCE": str(tmp_path / "restored")}
    assert "Restored into" in run("restore", str(file), **there).stdout
    assert rows(run("key", "list", "--json", **there)) == rows(run("key", "list", "--json"))
    assert "Verified hook: " in run("connection", "verify", "hook", **there).stdout, "its secret can be decrypted"
    with make_app(environment | there) as app:
        bearer = {"Authorization": f"Bearer {key}"}
        (post,) = app.test_client().get("/api/v1/posts", headers=bearer).json["data"]
    assert (post["title"], post["status"]) == ("Hello", "scheduled")
    assert "already contains data" in run("restore", str(file), code=1, **there).stderr


@backed_up_here
def test_a_restored_backup_contains_the_images(
    run: Run, instance: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    key = run("key", "create", "laptop").stdout.strip()
    api = Api(create_app(Config.load(environment)).test_client(), key)
    media = api.post("/media", form={"file": File(jpeg(600, 400)), "alt": "A ferry"}).json
    (instance / "media" / ".half-written.blogsvc").write_bytes(b"x")  # of an upload in progress
    run("backup", str(tmp_path / "all.tar.gz"))
    api.delete(f"/media/{media['id']}")

    there = {"BLOGSVC_INSTANCE": str(tmp_path / "restored")}
    run("restore", str(tmp_path / "all.tar.gz"), **there)
    client = create_app(Config.load(environment | there)).test_client()
    assert Api(client, key).get(f"/media/{media['id']}").json == media
    for each in (media, *media["sizes"]):
        with client.get(each["url"]) as answer:
            assert len(answer.data) == each["bytes"]
    restored = tmp_path / "restored" / "media"
    assert restored.stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in restored.iterdir()} == {0o600}
    assert len(list(restored.iterdir())) == 3


@backed_up_here
@pytest.mark.parametrize("name", ["blogsvc.db-wal", "blogsvc.db-journal"])
def test_a_backup_is_not_restored_beside_the_log_of_another_database(run: Run, tmp_path: Path, name: str) -> None:
    file, target = tmp_path / "all.tar.gz", tmp_path / "restored"
    run("backup", str(file))
    target.mkdir()
    (target / name).write_bytes(b"leftover")
    assert (
        f"contains {name} of another database" in run("restore", str(file), code=1, BLOGSVC_INSTANCE=str(target)).stderr
    )
    assert [each.name for each in target.iterdir()] == [name]


@backed_up_here
def test_a_damaged_database_is_not_restored(run: Run, tmp_path: Path) -> None:
    file, target = tmp_path / "all.tar.gz", tmp_path / "restored"
    run("backup", str(file))
    with tarfile.open(file) as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    damaged = tmp_path / "unpacked" / "blogsvc.db"
    content = bytearray(damaged.read_bytes())
    content[4096:8192] = b"\xff" * 4096
    damaged.write_bytes(content)
    with tarfile.open(file, "w:gz") as archive:
        for each in sorted((tmp_path / "unpacked").iterdir()):
            archive.add(each, each.name)
    assert "damaged" in run("restore", str(file), code=1, BLOGSVC_INSTANCE=str(target)).stderr
    assert not (target / "blogsvc.db").exists()


@backed_up_here
def test_a_backup_is_named_after_its_time_by_default(run: Run, instance: Path) -> None:
    file = Path(run("backup").stdout.strip())
    assert file.parent == instance / "backups"
    assert datetime.strptime(file.name, "%Y-%m-%dT%H%M%SZ.tar.gz").replace(tzinfo=UTC) <= utc_now()


@backed_up_here
def test_a_secret_key_from_the_environment_is_not_needed_in_the_backup(
    run: Run, instance: Path, tmp_path: Path
) -> None:
    more = {"BLOGSVC_SECRET_KEY": Fernet.generate_key().decode()}
    (instance / "secret.key").unlink()
    run("backup", str(tmp_path / "all.tar.gz"), **more)
    run("restore", str(tmp_path / "all.tar.gz"), BLOGSVC_INSTANCE=str(tmp_path / "restored"), **more)
    assert rows(run("key", "list", "--json", BLOGSVC_INSTANCE=str(tmp_path / "restored"), **more)) == []


@backed_up_here
@pytest.mark.parametrize("spoil", [lambda whole: whole[: len(whole) // 2], lambda whole: b"no archive", lambda _: b""])
def test_a_damaged_backup_restores_nothing(run: Run, tmp_path: Path, spoil: Callable[[bytes], bytes]) -> None:
    file, there = tmp_path / "all.tar.gz", tmp_path / "restored"
    run("backup", str(file))
    file.write_bytes(spoil(file.read_bytes()))
    assert "damaged" in run("restore", str(file), code=1, BLOGSVC_INSTANCE=str(there)).stderr
    assert list(there.iterdir()) == []


@backed_up_here
def test_nothing_is_backed_up_without_a_blog(run: Run, tmp_path: Path) -> None:
    said = run("backup", str(tmp_path / "all.tar.gz"), code=1, BLOGSVC_INSTANCE=str(tmp_path / "empty")).stderr
    assert "There is no blog yet" in said
    assert not (tmp_path / "all.tar.gz").exists()


def test_the_installed_command_runs(environment: dict[str, str]) -> None:
    command = Path(sys.executable).with_name("blogsvc")
    done = subprocess.run([command, "key", "create", "x"], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("bsk_")
    assert done.stdout.count("\n") == 1


def test_posts_can_be_imported_after_a_dry_run_and_exported_again(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "site" / "content" / "posts"
    folder.mkdir(parents=True)
    (folder / "ferry.md").write_text("---\ntitle: Ferry\ndate: 2020-01-02\n---\nWords.\n")
    looked = run("import", str(tmp_path / "site"), "--dry-run")
    assert "ferry" in looked.stdout
    assert "made" in looked.stdout
    for count in ("1 made, 0 skipped", "0 made, 1 skipped"):
        assert count in run("import", str(tmp_path / "site")).stdout
    run("export", str(tmp_path / "out.json"), "--json")
    assert [post["slug"] for post in json.loads((tmp_path / "out.json").read_text())["posts"]] == ["ferry"]
    run("export", str(tmp_path / "out.zip"))
    (tmp_path / "broken.xml").write_text("<rss><channel>")
    assert "damaged or incomplete" in run("import", str(tmp_path / "broken.xml"), code=1).stderr


def test_a_dry_run_prints_the_warnings_and_scheduled_posts_can_keep_their_time(run: Run, tmp_path: Path) -> None:
    post = {"id": "1", "slug": "soon", "title": "Soon", "html": "<p>Words.</p>", "codeinjection_head": "<b>"}
    at = (utc_now() + timedelta(days=9)).isoformat()
    posts = [{**post, "status": "scheduled", "published_at": at}]
    (tmp_path / "ghost.json").write_text(json.dumps({"db": [{"data": {"posts": posts}}]}))
    looked = run("import", str(tmp_path / "ghost.json"), "--dry-run")
    assert "soon:\n  The code injected into its page was removed.\n  It was scheduled for " in looked.stderr
    assert run("import", str(tmp_path / "ghost.json"), "--keep-schedule").stdout.endswith(
        "1 made, 0 skipped, 0 failed.\n"
    )
    run("export", str(tmp_path / "out.json"), "--json")
    assert [post["status"] for post in json.loads((tmp_path / "out.json").read_text())["posts"]] == ["scheduled"]


def test_an_import_names_images_of_the_library_that_it_could_not_fetch(run: Run, tmp_path: Path) -> None:
    media = [{"url": "http://127.0.0.1:9/media/sea.png", "path": "/media/sea.png", "filename": "Sea.png"}]
    post = {"id": "post_1", "title": "A", "slug": "a", "content": "Words.", "status": "draft"}
    document = {"format": "blogsvc-export", "version": 1, "posts": [post, {"title": "B", "deletedAt": "2020-01-02"}]}
    (tmp_path / "out.json").write_text(json.dumps(document | {"media": media}))
    told = run("import", str(tmp_path / "out.json")).stderr
    assert "Left out: Sea.png. http://127.0.0.1:9/media/sea.png was not imported: " in told
    assert told.count("Left out: B. It is in the trash.") == 1


def test_an_import_takes_over_the_title_of_a_new_blog(run: Run, tmp_path: Path) -> None:
    post = {"id": "post_1", "title": "Ferry", "slug": "ferry", "content": "Words.", "status": "draft"}
    named = {"title": "Harbour notes", "description": "Boats and ropes."}
    file = tmp_path / "blog.json"
    file.write_text(json.dumps({"format": "blogsvc-export", "version": 1, "blog": named, "posts": [post]}))
    run("blog", "--set", "description=Mine")
    assert "Title: A blog → Harbour notes\n" in run("import", str(file), "--dry-run").stderr
    assert "Title:" not in run("import", str(file), "--no-blog", "--dry-run").stderr
    done = run("import", str(file)).stderr
    assert "Title: A blog → Harbour notes\n" in done
    assert "Description: Boats and ropes. (Not taken over, because you chose your own.)\n" in done
    (described,) = rows(run("blog", "--json"))
    assert (described["title"], described["description"]) == ("Harbour notes", "Mine")


def test_an_import_says_how_many_old_addresses_lead_to_a_page(run: Run, tmp_path: Path) -> None:
    posts = [
        {"id": slug, "slug": slug, "title": slug, "html": "<p>Words.</p>", "status": "published", "visibility": of}
        | {"published_at": "2020-01-02T00:00:00.000Z"}
        for slug, of in (("ferry", "public"), ("about", "members"))
    ]
    (tmp_path / "ghost.json").write_text(json.dumps({"db": [{"data": {"posts": posts}}]}))
    looked = run("import", str(tmp_path / "ghost.json"), "--dry-run")
    assert "4 of 5 old addresses will lead to a page here." in looked.stderr
    done = run("import", str(tmp_path / "ghost.json"))
    assert "4 of 5 old addresses lead to a page here." in done.stdout
    assert "/about: 'about' is a draft here." in done.stderr


def test_an_unwritable_data_directory_is_named_in_the_error(tmp_path: Path, run: Run) -> None:
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "instance"
    for words in (("key", "list"), ("restore", str(tmp_path / "file"))):
        result = run(*words, code=4, BLOGSVC_INSTANCE=str(folder), BLOGSVC_DATABASE_URL="")
        assert f"Cannot open the data directory {folder}: Not a directory." in result.stderr
        assert result.stderr.endswith(" Set BLOGSVC_INSTANCE to a writable directory.\n")


def test_a_database_that_cannot_be_opened_is_named_with_its_setting(tmp_path: Path, run: Run) -> None:
    (tmp_path / "blogsvc.db").mkdir()
    result = run("key", "list", code=4, BLOGSVC_INSTANCE=str(tmp_path), BLOGSVC_DATABASE_URL="")
    assert "Cannot open the database: unable to open database file. Set BLOGSVC_INSTANCE" in result.stderr
    away = f"postgresql+psycopg://blogsvc:secret@127.0.0.1:{free_port()}/blogsvc"
    result = run("key", "list", code=4, BLOGSVC_INSTANCE=str(tmp_path), BLOGSVC_DATABASE_URL=away)
    assert "Cannot open the database: connection failed" in result.stderr
    assert result.stderr.endswith(" Check BLOGSVC_DATABASE_URL.\n")


def test_the_version_is_that_of_the_package(run: Run) -> None:
    assert run("--version").stdout == f"blogsvc, version {version('blogsvc')}\n"


@pytest.mark.sqlite("PostgreSQL lists them (tests/cluster/test_problems.py)")
def test_processes_are_not_listed_on_sqlite(run: Run) -> None:
    assert run("processes").output == (
        "The database is SQLite, so all processes are on this machine and are not listed.\n"
    )
    assert json.loads(run("processes", "--json").output) == []
