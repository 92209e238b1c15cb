"""The settings of a work tree that blogsvc uses: read as data, and never obeyed by git.

Who can write to a work tree can write to its `.git/config`, too, and many settings make git run a program or use other
places. So git gets a configuration of our own (`git_view.py`), with what is copied from there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from blogsvc.connectors.folder.git_command import GitError, GitMisused, output

# Keys in lower case, as git lists them.
COPIED = (
    *("core.filemode", "core.ignorecase", "core.precomposeunicode", "core.sharedrepository", "core.symlinks"),
    *("core.eol", "core.sparsecheckout", "core.sparsecheckoutcone"),
    *("user.name", "user.email"),
)
COPIED_OF_REMOTE = ("promisor", "partialclonefilter")  # what a partial clone left out is fetched from its remote
REMOTE_NAME = re.compile(r"\w[\w./-]*")
USER_AT_HOST = re.compile(
    r"(?P<scheme>https?://)[\w.~%!$&'()*+,;=:-]*@(?P<rest>[^/@?#]+(?:/.*)?)", re.ASCII | re.IGNORECASE
)


@dataclass(frozen=True)
class Remote:
    """A remote repository: the addresses to fetch from and to push to, and the branch there.

    Repositories on this server have their full path, without symbolic links.
    """

    name: str
    urls: tuple[str, ...]
    push_urls: tuple[str, ...]
    target: str

    @property
    def fetched_from(self) -> list[str]:
        """Return the addresses without user names and passwords of https."""
        return [_without_user(url) for url in self.urls]

    @property
    def pushed_to(self) -> list[str]:
        """Return the addresses without user names and passwords of https."""
        return [_without_user(url) for url in self.push_urls or self.urls]


@dataclass(frozen=True)
class Settings:
    """The settings of a repository. Of repeated settings, all values in order."""

    values: Mapping[str, tuple[str, ...]]

    @classmethod
    def read(cls, git_dir: Path) -> Settings:
        """Read the settings in a git directory, without files that they include. Raises GitError."""
        values: dict[str, tuple[str, ...]] = {}
        for file in ("config", "config.worktree"):
            if (git_dir / file).exists():
                listed = output(git_dir.parent, "config", f"--file={git_dir / file}", "--no-includes", "--list", "-z")
                for entry in listed.split("\0"):
                    key, _, value = entry.partition("\n")
                    values[key] = (*values.get(key, ()), value)
        return cls(values)

    def remote(self, branch: str, root: Path) -> Remote | None:
        """Return the remote of a branch of the work tree `root`, else the usual one, None without remotes.

        Raises GitMisused if it is not valid, or on this server and not a bare repository outside of work trees, and
        GitError if it is missing there.
        """
        names = [key[len("remote.") : -len(".url")] for key in self.values if re.fullmatch(r"remote\..*\.url", key)]
        usual = "origin" if "origin" in names else "".join(names[:1])
        name = self.last(f"branch.{branch}.remote") or usual
        if not name:
            return None
        if name not in names or not REMOTE_NAME.fullmatch(name):
            raise GitMisused(f"The remote of branch {branch} is not one of the repository's remotes: {name[:60]}.")
        given = (self.values.get(f"remote.{name}.{key}", ()) for key in ("url", "pushurl"))
        urls, push_urls = (tuple(_checked(url, root) for url in values) for values in given)
        target = self.last(f"branch.{branch}.merge") or f"refs/heads/{branch}"
        if not is_branch(target):
            raise GitMisused(f"The upstream of branch {branch} is not a branch: {target[:60]}.")
        return Remote(name, urls, push_urls, target)

    def last(self, key: str) -> str:
        return self.values.get(key, ("",))[-1]

    def own_config(self, remote: Remote | None) -> str:
        """Return the text of a configuration with what is copied, and with this remote alone.

        Raises GitMisused for a storage of branches that isn't in files.
        """
        if self.last("extensions.refstorage") not in ("", "files"):
            raise GitMisused("This repository doesn't store its branches in files. Use `git refs migrate`.")
        lines = [("core", "", [("repositoryformatversion", "1"), ("bare", "false"), ("logallrefupdates", "false")])]
        if hashed_with := self.last("extensions.objectformat"):
            lines.append(("extensions", "", [("objectformat", hashed_with)]))
        if remote and self.last("extensions.partialclone") == remote.name:
            lines.append(("extensions", "", [("partialclone", remote.name)]))
        for key in COPIED:
            section, _, name = key.partition(".")
            lines.append((section, "", [(name, self.last(key))] if key in self.values else []))
        if remote:
            tracked = f"+refs/heads/*:refs/remotes/{remote.name}/*"
            lines.append(("remote", remote.name, [("fetch", tracked), *(("url", url) for url in remote.urls)]))
            lines.append(("remote", remote.name, [("pushurl", url) for url in remote.push_urls]))
            for name in COPIED_OF_REMOTE:
                values = self.values.get(f"remote.{remote.name}.{name}", ())
                lines.append(("remote", remote.name, [(name, value) for value in values]))
        return "".join(_section(*line) for line in lines)


def is_branch(ref: str) -> bool:
    """Return True for the full name of a branch, by the rules of `git check-ref-format`."""
    name = ref.removeprefix("refs/heads/")
    is_plain = name != ref and not re.search(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{", name)
    parts = name.split("/")
    return is_plain and all(part and part[0] not in ".-" and not part.endswith((".", ".lock")) for part in parts)


def require_outside_work_trees(repository: Path) -> None:
    """Raise GitMisused for a repository inside a work tree: whoever pushes files could have made it, with its hooks."""
    for parent in repository.resolve().parents:
        if os.path.lexists(parent / ".git"):
            raise GitMisused(f"The repository {repository} is inside the work tree {parent}. Move it elsewhere.")


def is_bare(path: Path) -> bool:
    """Return True for a directory that git uses as a bare repository."""
    has_parts = (path / "HEAD").is_file() and (path / "objects").is_dir() and (path / "refs").is_dir()
    return has_parts and not os.path.lexists(path / ".git")


def _checked(url: str, root: Path) -> str:
    """Return the address of a remote; for a repository on this server, its full path. Raises GitError."""
    path = _local_path(url)
    if url.startswith("-") or not url.isprintable() or (path is None and url.lower().startswith("file:")):
        raise GitMisused("The address of a remote is not valid. Change it with `git remote set-url`.")
    if path is None:
        return url
    # git tries other names, such as the path with ".git" after it, only if there is no repository at the path.
    repository = (root / path).resolve()
    if not repository.exists():
        raise GitError(f"There is no remote repository at {repository}.")
    if not is_bare(repository):
        raise GitMisused(f"The remote repository {repository} is not a bare one.")
    require_outside_work_trees(repository)
    return str(repository)


def _local_path(url: str) -> Path | None:
    """Return the path of a repository on this server, None for an address elsewhere, as git tells them apart.

    A `file:` address with a host is none of both: git takes the host as a part of the path.
    """
    if url.lower().startswith("file:///"):
        return Path(unquote(url[len("file://") :]))  # unlike in other addresses, ? and # are part of the path
    if "://" in url or re.match(r"[^/]*:", url):  # https://host/path, or host:path
        return None
    return Path(url).expanduser() if url.startswith("~") else Path(url)


def _without_user(url: str) -> str:
    found = USER_AT_HOST.fullmatch(url)
    return found["scheme"] + found["rest"] if found else url


def _section(section: str, subsection: str, settings: Iterable[tuple[str, str]]) -> str:
    head = f"[{section} {_quoted(subsection)}]" if subsection else f"[{section}]"
    return "\n".join([head, *(f"\t{key} = {_quoted(value)}" for key, value in settings), ""])


def _quoted(value: str) -> str:
    text = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{text}"'
