"""Folder: Markdown files in a folder on this server, the source of a static site, with or without git."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from blogsvc.connectors.base import (
    Account,
    Article,
    Conflict,
    Connector,
    ConnectorError,
    Disconnected,
    Field,
    Keys,
    Misconfigured,
    Payload,
    Receipt,
    Rejected,
    Unavailable,
    web_url,
)
from blogsvc.connectors.folder import git
from blogsvc.connectors.folder.post_files import MARK, PostFiles
from blogsvc.connectors.folder.site_layouts import LAYOUTS, Layout
from blogsvc.lib.files import atomic_files
from blogsvc.lib.text.front_matter import front_matter
from blogsvc.lib.text.slug_letters import MAX_SLUG_LENGTH, is_slug

CONFIRM = "If that is right, reconnect the account: save its settings again."


@dataclass
class Folder(Connector):
    """Writes a post as a file with its images, commits them and pushes.

    The commit message names the operation, so that an interrupted operation is completed, not repeated.
    """

    key = "folder"
    label = "Folder or git repository"
    about = "Markdown files for Hugo, Jekyll or Astro, committed if the directory is a git repository."
    docs = "https://gohugo.io/content-management/front-matter/"
    checked_on = "2026-11-20"
    category = "file"
    accepts = "markdown"
    carries = frozenset({"title", "summary", "tags", "images", "cover", "language", "canonical_url"})
    shows = (("title", "title"), ("text", "markdown"))
    repeatable = frozenset({"create", "update", "delete"})
    once = "Each post has its own path, so a repeated write changes the same file. The commit names the operation."
    limitations = (
        "After a directory becomes a git repository, or its remote changes, reconnect the account.",
        "Of the repository's own settings, only the remote, the commit author and how files are stored are used.",
    )
    fields = (
        Field(
            "path",
            "Directory",
            help="On this server, and allowed by BLOGSVC_FOLDERS: a directory, a git work tree or a bare repository",
            path=True,
        ),
        Field("layout", "Generator", choices=tuple(LAYOUTS), default="hugo"),
        Field("branch", "Branch", help="Leave empty to use the checked-out branch", required=False),
        Field("author_name", "Commit author", required=False),
        Field("author_email", "Commit author's e-mail", required=False),
        Field(
            "url_pattern",
            "Post URL",
            help="For example https://me.example/{year}/{month}/{slug}/",
            required=False,
        ),
    )

    def verify(self) -> Account:
        root = self._root()
        if not os.access(root, os.W_OK | os.X_OK):
            raise Misconfigured("blogsvc can't write to this directory. Give it write permission.", field="path")
        self._check_url_pattern()
        with _explained():
            facts = self._current_facts(root)
        if self.facts:
            self._require_as_connected(facts)
        name = root.name.removesuffix(".git") or root.name
        return Account(", pushed to ".join([name, *facts["pushed_to"]]), facts=facts)

    def directories(self) -> tuple[str, ...]:
        addresses = (*self.facts.get("fetched_from", ()), *self.facts.get("pushed_to", ()))
        return tuple(address for address in addresses if address.startswith("/"))

    def _current_facts(self, root: Path) -> dict[str, Any]:
        """Return what must stay as it was when the account was connected: whose hooks run, and where it pushes to.

        Who can write to the directory could change both.
        """
        kind = git.kind(root)
        if kind == "bare":
            git.check_bare(root, self._setting("branch"))
        if kind == "work tree":
            with git.work_tree(root) as tree:
                self._check_branch(tree)
                return _facts(kind, tree)
        return _facts(kind)

    def _require_as_connected(self, facts: Mapping[str, Any]) -> None:
        connected = {**_facts("none"), **self.facts}
        if facts["git"] != connected["git"]:
            what = "a git repository" if connected["git"] == "none" else "a repository of another kind"
            raise Misconfigured(f"The directory is now {what}. {CONFIRM}", field="path")
        if facts != connected:
            where = " and ".join(facts["pushed_to"]) or "no remote"
            branch = f", branch {facts['branch']}" if facts["branch"] != connected["branch"] else ""
            raise Misconfigured(f"The repository would now be pushed to {where}{branch}. {CONFIRM}", field="path")

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        if not is_slug(article.slug) or len(article.slug) > MAX_SLUG_LENGTH:
            raise Rejected("The post's address can't be used as a file name. Use only letters, digits and hyphens.")
        layout = self._layout()
        path = layout.path(article)
        images = [image.url for image in article.images]
        return Payload(
            {
                "id": article.id,
                "title": article.title,
                "path": path,
                "url": self._post_url(article),
                "head": front_matter({**layout.fields(article), MARK: article.id}),
                "text": layout.text(article.markdown.replace("\r\n", "\n")).rstrip("\n") + "\n",
                "images": list(dict.fromkeys([article.cover_url, *images] if article.cover_url else images)),
            }
        )

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        return self._put(payload.body, keys["operation"], f"Publish “{payload.body['title']}”")

    def update(self, payload: Payload, keys: Keys, receipt: Receipt) -> Receipt:
        title = f"Update “{payload.body['title']}”"
        return self._put(payload.body, keys["operation"], title, old=receipt.remote_id)

    def delete(self, keys: Keys, receipt: Receipt) -> None:
        path = receipt.remote_id
        with _explained(), self._tree() as (posts, tree):
            if not tree.has(keys["operation"]):
                posts.remove(path)
                _commit(posts, tree, [path], f"Take down {path}", keys["operation"])
            tree.push()

    def _put(self, body: Mapping[str, Any], operation: str, title: str, old: str | None = None) -> Receipt:
        path = body["path"]
        moved_from = [old] if old and old != path else []
        with _explained(), self._tree() as (posts, tree):
            if not (tree.has(operation) and posts.has(path)):
                posts.write(body, self.images)
                for left in moved_from:
                    posts.remove(left, now_at=path)
                _commit(posts, tree, [path, *moved_from], title, operation)
            tree.push()
            return Receipt(path, body["url"], posts.version(path))

    def _check_branch(self, tree: git.WorkTree) -> None:
        wanted, there = self._setting("branch"), tree.branch
        if wanted not in ("", there):
            detail = f"Branch {there} is checked out, not {wanted}. Check out {wanted}, or change the branch setting."
            raise Misconfigured(detail, field="branch")

    @contextmanager
    def _tree(self) -> Iterator[tuple[PostFiles, git.WorkTree | git.NoGit]]:
        """Open the folder, and the repository if it has one. A bare repository is cloned first."""
        root, layout = self._root(), self._layout()
        author = self._setting("author_name"), self._setting("author_email")
        kind = git.kind(root)
        if kind == "work tree":
            with git.work_tree(root, *author) as tree:
                self._check_branch(tree)
                self._require_as_connected(_facts(kind, tree))
                yield PostFiles(root, layout), tree
            return
        self._require_as_connected(_facts(kind))
        if kind == "bare":
            with git.clone(root, self._setting("branch"), *author) as tree:
                yield PostFiles(tree.root, layout), tree
        else:
            yield PostFiles(root, layout), git.NoGit()

    def _root(self) -> Path:
        root = Path(self._setting("path"))
        if not root.is_absolute() or not root.is_dir():
            raise Misconfigured("Enter the full path of an existing directory on this server.", field="path")
        return root

    def _layout(self) -> Layout:
        try:
            return LAYOUTS[self._setting("layout") or "hugo"]
        except KeyError:
            raise Misconfigured(f"The generator must be one of {', '.join(LAYOUTS)}.") from None

    def _check_url_pattern(self) -> None:
        pattern = self._setting("url_pattern")
        rest = re.sub(r"\{(slug|year|month|day)\}", "1", pattern)
        if pattern and (not web_url(rest) or re.search("[{}]", rest)):
            raise Misconfigured(
                "Enter a URL that starts with https:// or http://. It can contain {slug}, {year}, {month} and {day}.",
                field="url_pattern",
            )

    def _post_url(self, article: Article) -> str | None:
        url = self._setting("url_pattern").replace("{slug}", quote(article.slug))
        moment: datetime | None = article.published_at
        for name, form in (("{year}", "%Y"), ("{month}", "%m"), ("{day}", "%d")):
            url = url.replace(name, moment.strftime(form) if moment else "")
        return url or None

    def _setting(self, name: str) -> str:
        return self.settings.get(name, "").strip()


def _facts(kind: git.Kind, tree: git.WorkTree | None = None) -> dict[str, Any]:
    remote = tree.remote if tree else None
    return {
        "git": kind,
        "fetched_from": remote.fetched_from if remote else [],
        "pushed_to": remote.pushed_to if remote else [],
        "branch": remote.target.removeprefix("refs/heads/") if remote else "",
    }


def _commit(posts: PostFiles, tree: git.WorkTree | git.NoGit, paths: Sequence[str], title: str, operation: str) -> None:
    """Commit our files at these paths, including those that an interrupted attempt left uncommitted."""
    tree.commit([one for path in paths for one in posts.paths(path, tree.tracked())], title, operation)


@contextmanager
def _explained() -> Iterator[None]:
    """Convert errors of git and the file system to errors that say what to do."""
    try:
        yield
    except git.GitError as error:
        raise _of_git(error) from None
    except atomic_files.OutsideError as error:
        raise Misconfigured(str(error)) from None
    except (PermissionError, FileNotFoundError, NotADirectoryError, IsADirectoryError) as error:
        raise Misconfigured(f"The directory can't be used: {error.strerror}.") from None
    except OSError as error:
        raise Unavailable(f"The files can't be written: {error.strerror}.") from None


def _of_git(error: git.GitError) -> ConnectorError:
    if isinstance(error, git.GitMissing | git.GitMisused):
        return Misconfigured(str(error))
    if isinstance(error, git.GitDenied):
        advice = "Check its SSH key or token on this server. Set a credential helper with `git config --global`."
        return Disconnected(f"{error} {advice}")
    if isinstance(error, git.GitConflict):
        return Conflict(f"{error} Merge the branches in the repository, then retry.")
    return Unavailable(str(error))
