"""The folder connector: a plain directory, a git work tree and a bare repository."""

from __future__ import annotations

import hashlib
import os
import subprocess
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import quote

import pytest
import yaml

from blogsvc.connectors.base import (
    ArticleImage,
    Conflict,
    ConnectorError,
    Disconnected,
    Misconfigured,
    Receipt,
    Rejected,
    Unavailable,
)
from blogsvc.connectors.folder.connector import Folder
from tests.connectors.contract import AN_ARTICLE, AN_IMAGE, Contract
from tests.outside import Outside
from tests.receiver import free_port
from tests.tiers import exhaustive, matrix

PNG = b"\x89PNG\r\n\x1a\n tree"
NAME = f"{hashlib.sha256(PNG).hexdigest()[:20]}.png"
PATH = "content/posts/of-trees/index.md"
IMAGE_PATH = f"content/posts/of-trees/{NAME}"
MOVED = replace(AN_ARTICLE, slug="of-bushes", title="Of bushes")


def git(where, *arguments):
    identity = ["-c", "user.name=Colleague", "-c", "user.email=colleague@example.org"]
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=where, capture_output=True, text=True, check=True, timeout=30
    )
    return done.stdout.strip()


def plain(directory):
    path = directory / "blog"
    path.mkdir()
    return path


def bare(directory, branch="main"):
    path = directory / "blog.git"
    path.mkdir()
    git(path, "init", "--quiet", "--bare", f"--initial-branch={branch}")
    return path


def bare_with_a_commit(directory):
    path = bare(directory)
    push_as_colleague(path, directory / "first", {"README.md": "Hello"})
    return path


def work_tree(directory):
    git(directory, "clone", "--quiet", str(bare_with_a_commit(directory)), "blog")
    return directory / "blog"


def local_work_tree(directory):
    git(directory, "init", "--quiet", "--initial-branch=main", "blog")
    return directory / "blog"


def push_as_colleague(path, clone, files):
    if not clone.exists():
        git(clone.parent, "clone", "--quiet", str(path), clone.name)
        if not git(clone, "branch", "--list", "--all"):
            git(clone, "symbolic-ref", "HEAD", "refs/heads/main")
    for name, text in files.items():
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        (clone / name).write_text(text)
    git(clone, "add", "--all")
    git(clone, "commit", "--quiet", "-m", "By a colleague")
    git(clone, "push", "--quiet", "origin", "HEAD:main")


@contextmanager
def closed(remote):
    """Let a repository accept no push."""
    hook = remote / "hooks/pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    yield
    hook.unlink()


def operations(path, ref="HEAD"):
    log = git(path, "log", "--format=%(trailers:key=Blogsvc-Operation,valueonly,separator=%x2C)", ref)
    return [line for line in log.splitlines() if line]


def files_in(path):
    if (path / "HEAD").exists():
        return git(path, "ls-tree", "-r", "--name-only", "main").splitlines()
    found = (str(file.relative_to(path)) for file in path.rglob("*") if file.is_file())
    return sorted(name for name in found if not name.startswith(".git/"))


def front_matter(text):
    head = text.split("---\n")[1]
    return yaml.safe_load(head)


def keys(operation="op-1"):
    return {"operation": operation}


def publish(folder, article=AN_ARTICLE, operation="op-1"):
    return folder.publish(folder.compose(article, {}), keys(operation))


def update(folder, article, receipt, operation="op-2"):
    return folder.update(folder.compose(article, {}), keys(operation), receipt)


def connected(folder):
    """The connector of an account that the owner connected, if the directory could be."""
    with suppress(ConnectorError):
        return replace(folder, facts=folder.verify().facts)
    return folder


class FolderContract(Contract):
    @pytest.fixture(autouse=True)
    def directory(self, tmp_path):
        self.directory = tmp_path

    def place(self):
        raise NotImplementedError

    def make(self, outside):
        self.path = self.place()
        outside.teach("GET", AN_IMAGE, body=PNG, headers={"Content-Type": "image/png"})
        return connected(Folder({"path": str(self.path)}, outside.http()))

    def copies(self, outside):
        return len([name for name in files_in(self.path) if name.endswith("index.md")])


class TestPlain(FolderContract):
    def place(self):
        return plain(self.directory)


class TestWorkTree(FolderContract):
    test_two_concurrent_posts_create_two_copies = None  # one lane per account: a work tree has one index

    def place(self):
        return work_tree(self.directory)


class TestBare(FolderContract):
    def place(self):
        return bare(self.directory)


@pytest.fixture
def outside():
    outside = Outside()
    outside.teach("GET", AN_IMAGE, body=PNG, headers={"Content-Type": "image/png"})
    return outside


PLACES = (plain, local_work_tree, work_tree, bare, bare_with_a_commit)


def name_of(place):
    return place.__name__


@pytest.fixture(
    params=[
        pytest.param(where, id=name_of(where), marks=() if where in (plain, work_tree, bare) else (exhaustive,))
        for where in PLACES
    ]
)
def place(request, tmp_path):
    return request.param(tmp_path)


@pytest.fixture
def connect(outside):
    return lambda path, **settings: connected(Folder({"path": str(path), **settings}, outside.http()))


def test_a_post_and_its_image_are_written(place, connect):
    receipt = publish(connect(place, url_pattern="https://me.example/{year}/{month}/{day}/{slug}/"))
    assert {PATH, IMAGE_PATH} <= set(files_in(place))
    assert receipt.remote_id == PATH
    assert receipt.url == "https://me.example/2026/11/20/of-trees/"


def test_a_post_with_a_new_slug_moves_its_file_and_images(place, connect):
    folder = connect(place)
    receipt = update(folder, MOVED, publish(folder))
    assert receipt.remote_id == "content/posts/of-bushes/index.md"
    assert [name for name in files_in(place) if "of-trees" in name] == []
    assert f"content/posts/of-bushes/{NAME}" in files_in(place)


@pytest.mark.parametrize("layout", ["hugo", "jekyll", "astro"])
@pytest.mark.parametrize("slug", ["नमस्ते-दुनिया", "東" * 80, "\U0001e922" * 80], ids=["marks", "long", "longest"])
def test_a_slug_in_any_script_is_a_file_name(tmp_path, connect, layout, slug):
    path = local_work_tree(tmp_path)
    folder = connect(path, layout=layout, url_pattern="https://me.example/{slug}/")
    receipt = publish(folder, replace(AN_ARTICLE, slug=slug))
    assert receipt.url == f"https://me.example/{quote(slug)}/"
    assert slug[:40] in receipt.remote_id
    assert (path / receipt.remote_id).is_file()
    assert git(path, "status", "--porcelain") == ""
    assert update(folder, replace(AN_ARTICLE, slug=slug, markdown="New."), receipt).remote_id == receipt.remote_id
    folder.delete(keys("op-3"), receipt)
    assert git(path, "status", "--porcelain") == ""
    assert not (path / receipt.remote_id).exists()


def test_long_slugs_with_the_same_beginning_have_files_of_their_own(place, connect):
    folder = connect(place)
    slugs = ["東" * 79 + last for last in "京西"]
    first, second = (publish(folder, replace(AN_ARTICLE, slug=slug)) for slug in slugs)
    assert first.remote_id != second.remote_id


def test_an_image_no_longer_used_is_removed(place, connect):
    folder = connect(place)
    update(folder, replace(AN_ARTICLE, markdown="No image.", images=()), publish(folder))
    assert IMAGE_PATH not in files_in(place)
    assert PATH in files_in(place)


def test_a_deletion_removes_every_file(place, connect):
    before = set(files_in(place)) if not place.name.endswith(".git") else set()
    folder = connect(place)
    folder.delete(keys("op-2"), publish(folder))
    assert set(files_in(place)) - {"README.md"} == before - {"README.md"}


def test_the_version_is_the_git_blob_hash(tmp_path, connect):
    path = bare(tmp_path)
    receipt = publish(connect(path))
    assert receipt.version == git(path, "rev-parse", f"main:{PATH}")


@matrix("where", PLACES[1:], ids=name_of, default=lambda where: where in (work_tree, bare))
def test_a_change_is_one_commit_with_its_operation(tmp_path, connect, where):
    path = where(tmp_path)
    folder = connect(path, author_name="Ada", author_email="ada@example.org")
    receipt = publish(folder)
    receipt = update(folder, MOVED, receipt)
    folder.delete(keys("op-3"), receipt)
    assert operations(path, "main") == ["op-3", "op-2", "op-1"]
    log = git(path, "log", "-3", "--format=%an <%ae> %s", "main").splitlines()
    assert log[2] == "Ada <ada@example.org> Publish “Of trees”"
    assert log[1] == "Ada <ada@example.org> Update “Of bushes”"


@matrix("where", PLACES[1:], ids=name_of, default=lambda where: where in (work_tree, bare))
def test_a_repeated_operation_makes_no_second_commit(tmp_path, connect, where):
    path = where(tmp_path)
    folder = connect(path)
    first, again = publish(folder), publish(folder)
    assert first == again
    assert operations(path, "main") == ["op-1"]
    for _ in range(2):
        folder.delete(keys("op-2"), first)
    assert operations(path, "main") == ["op-2", "op-1"]


def test_a_repeated_deletion_keeps_what_was_published_since(tmp_path, connect):
    path = bare(tmp_path)
    folder = connect(path)
    receipt = publish(folder)
    folder.delete(keys("op-2"), receipt)
    publish(folder, replace(AN_ARTICLE, id="another"), "op-3")
    folder.delete(keys("op-2"), receipt)
    assert PATH in files_in(path)


def test_a_repeated_publish_without_the_image_server_makes_no_second_commit(tmp_path, connect, outside):
    path = bare(tmp_path)
    publish(connect(path))
    outside.always(failure="refused")
    publish(connect(path))
    assert operations(path, "main") == ["op-1"]


def test_an_update_without_a_change_makes_no_commit(tmp_path, connect):
    path = bare(tmp_path)
    folder = connect(path)
    update(folder, AN_ARTICLE, publish(folder))
    assert operations(path, "main") == ["op-1"]


def test_written_but_uncommitted_files_are_committed(tmp_path, connect):
    path = work_tree(tmp_path)
    (path / PATH).parent.mkdir(parents=True)
    (path / ".git/hooks").mkdir(exist_ok=True)
    (path / ".git/index.lock").touch()
    with pytest.raises(Unavailable):
        publish(connect(path))
    assert (path / PATH).exists()
    assert operations(path) == []
    (path / ".git/index.lock").unlink()
    publish(connect(path))
    assert operations(path) == ["op-1"]
    assert operations(tmp_path / "blog.git") == ["op-1"]


def test_an_uncommitted_removal_is_committed(tmp_path, connect):
    path = work_tree(tmp_path)
    folder = connect(path)
    receipt = publish(folder)
    (path / ".git/index.lock").touch()
    with pytest.raises(Unavailable):
        folder.delete(keys("op-2"), receipt)
    (path / ".git/index.lock").unlink()
    folder.delete(keys("op-2"), receipt)
    assert files_in(tmp_path / "blog.git") == ["README.md"]
    assert git(path, "status", "--porcelain") == ""


def test_an_unpushed_commit_is_pushed(tmp_path, connect):
    path, remote = work_tree(tmp_path), tmp_path / "blog.git"
    with closed(remote), pytest.raises(Unavailable):
        publish(connect(path))
    assert operations(path) == ["op-1"]
    publish(connect(path))
    assert operations(remote) == ["op-1"]


def test_a_remote_that_is_not_mounted_is_waited_for(tmp_path, connect):
    path, remote = work_tree(tmp_path), tmp_path / "blog.git"
    folder = connect(path)
    remote.rename(tmp_path / "away.git")
    with pytest.raises(Unavailable, match="no remote repository"):
        publish(folder)
    (tmp_path / "away.git").rename(remote)
    publish(folder)
    assert operations(remote) == ["op-1"]


def test_commits_pushed_by_others_are_kept(tmp_path, connect):
    path = work_tree(tmp_path)
    push_as_colleague(tmp_path / "blog.git", tmp_path / "first", {"about.md": "Me"})
    publish(connect(path))
    assert {"README.md", "about.md", PATH, IMAGE_PATH} == set(files_in(tmp_path / "blog.git"))
    assert operations(tmp_path / "blog.git") == ["op-1"]


def test_a_change_that_cannot_be_rebased_is_a_conflict_and_is_not_forced(tmp_path, connect):
    path = work_tree(tmp_path)
    folder = connect(path)
    receipt = publish(folder)
    git(tmp_path / "first", "pull", "--quiet", "origin", "main")
    push_as_colleague(tmp_path / "blog.git", tmp_path / "first", {PATH: "Mine now"})
    with pytest.raises(Conflict):
        update(folder, replace(AN_ARTICLE, markdown="Ours"), receipt)
    assert git(tmp_path / "blog.git", "show", f"main:{PATH}") == "Mine now"
    assert git(path, "symbolic-ref", "HEAD") == "refs/heads/main"


def test_a_rebase_that_was_interrupted_is_completed(tmp_path, connect):
    path, remote = work_tree(tmp_path), tmp_path / "blog.git"
    folder = connect(path)
    with closed(remote), pytest.raises(Unavailable):
        publish(folder)
    push_as_colleague(remote, tmp_path / "first", {"README.md": "Theirs", "about.md": "Me"})
    (path / ".git/refs/heads/main.lock").touch()  # the files are rebased, and the branch can't follow
    with pytest.raises(Unavailable):
        publish(folder)
    assert (path / "about.md").exists()
    assert operations(remote, "main") == []
    (path / ".git/refs/heads/main.lock").unlink()
    publish(folder)
    assert operations(remote, "main") == ["op-1"]
    assert git(path, "status", "--porcelain", "--branch") == "## main...origin/main"


def a_rebase_that_stopped_half_way(tmp_path, path):
    push_as_colleague(tmp_path / "blog.git", tmp_path / "first", {"README.md": "Theirs"})
    (path / "README.md").write_text("Mine")
    git(path, "commit", "--quiet", "--all", "-m", "Mine")
    git(path, "fetch", "--quiet")
    with pytest.raises(subprocess.CalledProcessError):
        git(path, "rebase", "origin/main")


def test_a_rebase_started_by_the_owner_is_left_alone(tmp_path, connect):
    path = work_tree(tmp_path)
    a_rebase_that_stopped_half_way(tmp_path, path)
    with pytest.raises(Misconfigured, match="branch"):
        publish(connect(path))
    assert (path / ".git/rebase-merge").exists()


def test_uncommitted_work_of_the_owner_is_left_alone(tmp_path, connect):
    path = work_tree(tmp_path)
    (path / "README.md").write_text("Half-way")
    (path / "staged.md").write_text("Staged")
    (path / "loose.md").write_text("Loose")
    git(path, "add", "staged.md")
    publish(connect(path))
    assert set(files_in(tmp_path / "blog.git")) == {"README.md", PATH, IMAGE_PATH}
    assert git(path, "status", "--porcelain").splitlines() == ["M README.md", "A  staged.md", "?? loose.md"]


def test_hooks_of_the_work_tree_are_skipped_and_those_of_the_remote_run(tmp_path, connect):
    path = work_tree(tmp_path)
    for hook in (path / ".git/hooks/pre-commit", tmp_path / "blog.git/hooks/post-receive"):
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/{hook.name}\n")
        hook.chmod(0o755)
    publish(connect(path))
    assert not (tmp_path / "pre-commit").exists()
    assert (tmp_path / "post-receive").exists()


def test_the_message_of_a_rejecting_hook_is_passed_on(tmp_path, connect):
    path = bare_with_a_commit(tmp_path)
    hook = path / "hooks/pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho Not on Sundays >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(Unavailable, match="Not on Sundays"):
        publish(connect(path))
    assert operations(path, "main") == []


def test_git_environment_variables_are_not_inherited(tmp_path, connect, monkeypatch):
    path = work_tree(tmp_path)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    publish(connect(path))
    monkeypatch.delenv("GIT_DIR")
    monkeypatch.delenv("GIT_INDEX_FILE")
    assert operations(path) == ["op-1"]


def test_the_branch_can_be_chosen(tmp_path, connect):
    path = bare_with_a_commit(tmp_path)
    git(path, "branch", "site", "main")
    publish(connect(path, branch="site"))
    assert operations(path, "site") == ["op-1"]
    assert operations(path, "main") == []


def test_an_empty_repository_gets_the_configured_branch(tmp_path, connect):
    path = bare(tmp_path)
    publish(connect(path, branch="site"))
    assert operations(path, "site") == ["op-1"]


@pytest.mark.parametrize("where", [work_tree, bare_with_a_commit])
def test_a_missing_branch_is_misconfigured(tmp_path, connect, where):
    folder = connect(where(tmp_path))
    folder.settings["branch"] = "nope"
    with pytest.raises(Misconfigured, match="nope"):
        folder.verify()
    with pytest.raises(Misconfigured, match="nope"):
        publish(folder)


def test_rejected_credentials_raise_disconnected_without_showing_them(tmp_path, connect, monkeypatch):
    path = work_tree(tmp_path)
    (tmp_path / "bin").mkdir()
    ssh = tmp_path / "bin/ssh"
    ssh.write_text("#!/bin/sh\necho fatal: Authentication failed for s3cret >&2\nexit 128\n")
    ssh.chmod(0o755)
    monkeypatch.setenv("PATH", str(ssh.parent), prepend=os.pathsep)
    git(path, "remote", "set-url", "origin", "ssh://me@git.example/blog.git")
    with pytest.raises(Disconnected) as caught:
        publish(connect(path))
    assert "s3cret" not in str(caught.value)


def test_errors_do_not_contain_the_remote_url(tmp_path, connect):
    path = work_tree(tmp_path)
    git(path, "remote", "set-url", "origin", f"http://me:t0ken@127.0.0.1:{free_port()}/blog.git")
    with pytest.raises(Unavailable) as caught:
        publish(connect(path))
    assert "t0ken" not in str(caught.value)


def test_missing_git_is_misconfigured(tmp_path, connect, monkeypatch):
    path = work_tree(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Misconfigured, match="not installed"):
        connect(path).verify()


def test_a_directory_inside_another_repository_is_treated_as_plain(tmp_path, connect):
    path = local_work_tree(tmp_path)
    (path / "blog").mkdir()
    publish(connect(path / "blog"))
    assert (path / "blog" / PATH).exists()
    assert git(path, "status", "--porcelain") == "?? blog/"


def test_verify_returns_the_name_of_the_folder(tmp_path, connect):
    assert connect(bare(tmp_path)).verify().name == "blog"


@pytest.mark.parametrize("path", ["", "relative/path", "/nowhere/at/all", "/etc/hostname"])
def test_a_path_that_is_not_a_directory_is_misconfigured(connect, path):
    with pytest.raises(Misconfigured):
        connect(path).verify()


def test_an_unknown_layout_is_misconfigured(tmp_path, connect):
    with pytest.raises(Misconfigured, match="hugo, jekyll, astro"):
        connect(tmp_path, layout="gutenberg").compose(AN_ARTICLE, {})


SLUGS = ["", ".", "..", "../up", "a/b", "a\\b", ".git", "-rf", "a\nb", "a" * 101, "con:", "/etc/x"]


@pytest.mark.parametrize("slug", SLUGS)
def test_a_slug_cannot_escape_the_directory(tmp_path, connect, slug):
    with pytest.raises(Rejected):
        connect(tmp_path).compose(replace(AN_ARTICLE, slug=slug), {})


@pytest.mark.parametrize("remote_id", ["../victim", "/etc/hostname", ".git/config", "a/../../victim", ""])
def test_a_receipt_cannot_escape_the_directory(tmp_path, connect, remote_id):
    victim = tmp_path / "victim"
    victim.write_text("Still here")
    folder = connect(plain(tmp_path))
    with pytest.raises(Misconfigured):
        folder.delete(keys(), Receipt(remote_id))
    assert victim.read_text() == "Still here"


@pytest.mark.parametrize("link", ["content", "content/posts", "content/posts/of-trees", PATH, IMAGE_PATH])
def test_a_symlink_out_of_the_directory_is_not_followed(tmp_path, connect, link):
    path, victim = plain(tmp_path), tmp_path / "victim"
    (path / link).parent.mkdir(parents=True, exist_ok=True)
    victim.mkdir()
    (path / link).symlink_to(victim / "file" if "." in link else victim)
    with pytest.raises(Misconfigured):
        publish(connect(path))
    assert list(victim.iterdir()) == []


def test_an_existing_file_of_somebody_else_is_not_overwritten(tmp_path, connect):
    path = plain(tmp_path)
    (path / PATH).parent.mkdir(parents=True)
    (path / PATH).write_text("---\ntitle: By hand\n---\n")
    with pytest.raises(Rejected, match="address"):
        publish(connect(path))
    assert (path / PATH).read_text() == "---\ntitle: By hand\n---\n"


def test_the_file_of_another_post_is_not_overwritten(tmp_path, connect):
    folder = connect(plain(tmp_path))
    publish(folder)
    with pytest.raises(Rejected, match="address"):
        publish(folder, replace(AN_ARTICLE, id="another"), "op-2")


def test_other_files_next_to_a_post_are_kept(tmp_path, connect):
    path = plain(tmp_path)
    folder = connect(path)
    receipt = publish(folder)
    (path / PATH).with_name("notes.txt").write_text("Mine")
    folder.delete(keys("op-2"), receipt)
    assert files_in(path) == ["content/posts/of-trees/notes.txt"]


def test_no_temporary_file_is_left(tmp_path, connect):
    path = plain(tmp_path)
    publish(connect(path))
    assert files_in(path) == sorted([PATH, IMAGE_PATH])


def test_an_unwritable_directory_is_misconfigured(tmp_path, connect):
    path = plain(tmp_path)
    (path / "content").write_text("a file where a directory should be")
    with pytest.raises(Misconfigured):
        publish(connect(path))


@pytest.mark.parametrize(
    ("layout", "key"), [("hugo", "images_alt"), ("jekyll", "image_alt"), ("astro", "heroImageAlt")]
)
def test_the_alt_text_of_the_cover_is_in_the_front_matter(tmp_path, connect, layout, key):
    article = replace(AN_ARTICLE, cover_url=AN_IMAGE, cover_alt="A wood")
    receipt = publish(connect(plain(tmp_path), layout=layout), article)
    assert front_matter((tmp_path / "blog" / receipt.remote_id).read_text())[key] == "A wood"


def test_hugo_front_matter_is_written(tmp_path, connect):
    publish(connect(plain(tmp_path)), replace(AN_ARTICLE, cover_url=AN_IMAGE))
    text = (tmp_path / "blog" / PATH).read_text()
    assert front_matter(text) == {
        "title": "Of trees",
        "date": datetime(2026, 11, 20, 10, 0, tzinfo=UTC),
        "lastmod": datetime(2026, 11, 20, 10, 0, tzinfo=UTC),
        "draft": False,
        "slug": "of-trees",
        "tags": ["nature", "trees"],
        "description": "About trees.",
        "canonicalURL": "https://blog.example/posts/of-trees",
        "images": [NAME],
        "blogsvc_id": AN_ARTICLE.id,
    }
    assert text.endswith(f"---\n\nA *tree*.\n\n![A tree]({NAME})\n")


def test_jekyll_file_names_and_front_matter_are_written(tmp_path, connect):
    path = plain(tmp_path)
    folder = connect(path, layout="jekyll")
    receipt = publish(folder, replace(AN_ARTICLE, cover_url=AN_IMAGE))
    assert receipt.remote_id == "_posts/2026-11-20-of-trees.md"
    assert files_in(path) == [receipt.remote_id, f"assets/images/of-trees/{NAME}"]
    text = (path / receipt.remote_id).read_text()
    assert f"![A tree](/assets/images/of-trees/{NAME})" in text
    head = front_matter(text)
    assert head["layout"] == "post"
    assert head["image"] == f"/assets/images/of-trees/{NAME}"
    assert head["render_with_liquid"] is False


def test_a_jekyll_post_with_another_date_moves_its_file(tmp_path, connect):
    path = plain(tmp_path)
    folder = connect(path, layout="jekyll")
    later = replace(AN_ARTICLE, published_at=AN_ARTICLE.published_at + timedelta(days=1))
    receipt = update(folder, later, publish(folder))
    assert files_in(path) == [receipt.remote_id, f"assets/images/of-trees/{NAME}"]
    assert receipt.remote_id == "_posts/2026-11-21-of-trees.md"


def test_a_jekyll_post_needs_a_date(tmp_path, connect):
    folder = connect(plain(tmp_path), layout="jekyll")
    with pytest.raises(Rejected, match="time"):
        folder.compose(replace(AN_ARTICLE, published_at=None, updated_at=None), {})


def test_astro_file_names_and_front_matter_are_written(tmp_path, connect):
    path = plain(tmp_path)
    receipt = publish(connect(path, layout="astro"), replace(AN_ARTICLE, cover_url=AN_IMAGE))
    assert files_in(path) == ["src/content/blog/of-trees.md", f"src/content/blog/of-trees/{NAME}"]
    text = (path / receipt.remote_id).read_text()
    head = front_matter(text)
    assert head["pubDate"] == AN_ARTICLE.published_at
    assert head["heroImage"] == f"./of-trees/{NAME}"
    assert f"![A tree](./of-trees/{NAME})" in text


def test_shortcodes_in_the_text_are_escaped(tmp_path, connect):
    markdown = "Write `{{< figure src=x >}}` or `{{% note %}}`, as `{{</* this */>}}` shows."
    body = connect(tmp_path).compose(replace(AN_ARTICLE, markdown=markdown), {}).body
    assert "`{{</* figure src=x */>}}` or `{{%/* note */%}}`, as `{{</* this */>}}`" in body["text"]


@pytest.mark.parametrize(
    "reply",
    [
        {"status": 404},
        {"body": b"<svg/>", "headers": {"Content-Type": "image/svg+xml"}},
        {"body": b"<html>", "headers": {"Content-Type": "text/html"}},
        {"body": b"", "headers": {"Content-Type": "image/png"}},
        {"failure": "refused"},
        {"failure": "hangs"},
        {"status": 302, "headers": {"Location": "http://127.0.0.1/"}},
    ],
)
def test_an_image_that_cannot_be_fetched_keeps_its_url(tmp_path, connect, outside, reply):
    outside.always(**reply)
    path = plain(tmp_path)
    publish(connect(path))
    assert f"![A tree]({AN_IMAGE})" in (path / PATH).read_text()
    assert files_in(path) == [PATH]


def test_a_hanging_image_server_is_requested_once(tmp_path, connect, outside):
    outside.always(failure="hangs")
    images = tuple(ArticleImage(f"https://slow.example/{n}.png") for n in range(20))
    publish(connect(plain(tmp_path)), replace(AN_ARTICLE, images=images))
    assert len(outside.requests) == 1


def test_only_image_urls_are_rewritten(tmp_path, connect):
    markdown = "\n\n".join(
        [
            f"![a [b\\] c]({AN_IMAGE} 'title')",
            f"![a](<{AN_IMAGE}>)",
            f'<img alt="x" src="{AN_IMAGE}">',
            f"[ref]: {AN_IMAGE}",
            f"{AN_IMAGE} {AN_IMAGE}x ![other]({AN_IMAGE}?size=2)",
        ]
    )
    path = plain(tmp_path)
    publish(connect(path), replace(AN_ARTICLE, markdown=markdown))
    text = (path / PATH).read_text()
    assert text.count(NAME) == 4
    assert f"{AN_IMAGE} {AN_IMAGE}x ![other]({AN_IMAGE}?size=2)" in text


TITLES = [
    "true",
    "2026-11-20",
    "1e3",
    "null",
    "a: b # c",
    '"quoted" \\ back',
    "---",
    "- item",
    "line\nbreak",
    "tab\tnull\x00del\x7fnel\x85ls\u2028",
    "👩‍👩‍👧‍👦 Grüße",
    "!!python/object:os.system",
    "*alias",
    "{{ liquid }}",
]


@pytest.mark.parametrize("title", TITLES)
def test_any_title_is_written_unchanged(tmp_path, connect, title):
    path = plain(tmp_path)
    article = replace(AN_ARTICLE, title=title, summary=title, tags=(title,))
    publish(connect(path), article)
    head = front_matter((path / PATH).read_bytes().decode())
    assert (head["title"], head["description"], head["tags"]) == (title, title, [title])


def test_a_title_cannot_inject_a_commit_trailer(tmp_path, connect):
    path = bare(tmp_path)
    publish(connect(path), replace(AN_ARTICLE, title="Sly\n\nBlogsvc-Operation: op-2"))
    assert operations(path, "main") == ["op-1"]
    update(connect(path), AN_ARTICLE, Receipt(PATH))
    assert operations(path, "main") == ["op-2", "op-1"]


def test_an_operation_is_not_confused_with_one_that_has_it_as_prefix(tmp_path, connect):
    path = bare(tmp_path)
    receipt = publish(connect(path), operation="op-11")
    update(connect(path), replace(AN_ARTICLE, title="New"), receipt, operation="op-1")
    assert operations(path, "main") == ["op-1", "op-11"]


def test_a_push_that_is_rejected_repeatedly_is_retried_later(tmp_path, connect):
    path = bare_with_a_commit(tmp_path)
    hook = Path(path / "hooks/update")
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho cannot lock ref >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(Unavailable, match="keep pushing"):
        publish(connect(path))
