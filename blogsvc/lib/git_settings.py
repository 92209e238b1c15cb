"""The settings of a work tree that blogsvc uses: read as data, and never obeyed by git.

Who can write to a work tree can write to its `.git/config`, too, and many settings make git run a program or use other
places. So git gets a configuration of our own (`git_view.py`), with what is copied from there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from blogsvc.lib.git_command import GitMisused, output

# Keys in lower case, as git lists them.
COPIED = (
    *("core.filemode", "core.ignorecase", "core.precomposeunicode", "core.sharedrepository", "core.symlinks"),
    *("core.eol", "core.sparsecheckout", "core.sparsecheckoutcone"),
    *("user.name", "user.email"),
)
COPIED_OF_REMOTE = ("promisor", "partialclonefilter")  # what a partial clone left out is fetched from its remote
BRANCH_REF = re.compile(r"refs/heads/[^\x00-\x20\x7f~^:?*\[\\]+")
REMOTE_NAME = re.compile(r"\w[\w./-]*")
USER_AT_HOST = re.compile(
    r"(?P<scheme>https?://)[\w.~%!$&'()*+,;=:-]*@(?P<rest>[^/@?#]+(?:/.*)?)", re.ASCII | re.IGNORECASE
)


@dataclass(frozen=True)
class Remote:
    """A remote repository: the addresses to fetch from and to push to."""

    name: str
    urls: tuple[str, ...]
    push_urls: tuple[str, ...]

    @property
    def addresses(self) -> list[str]:
        """Return all addresses, without user names and passwords of https."""
        return list(dict.fromkeys(_without_user(url) for url in (*self.urls, *self.push_urls)))

    def directories(self, root: Path) -> list[Path]:
        """Return the addresses that are directories on this server."""
        found = (local_path(url) for url in self.addresses)
        return [(root / path).resolve() for path in found if path is not None]


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

    def remote(self, branch: str) -> Remote | None:
        """Return the branch's remote, else the usual one, None without remotes. Raises GitMisused."""
        names = [key[len("remote.") : -len(".url")] for key in self.values if re.fullmatch(r"remote\..*\.url", key)]
        usual = "origin" if "origin" in names else "".join(names[:1])
        name = self.last(f"branch.{branch}.remote") or usual
        if not name:
            return None
        if name not in names or not REMOTE_NAME.fullmatch(name):
            raise GitMisused(f"The remote of branch {branch} is not one of the repository's remotes: {name[:60]}.")
        urls = self.values[f"remote.{name}.url"]
        remote = Remote(name, urls, self.values.get(f"remote.{name}.pushurl", ()))
        if any(url.startswith("-") or not url.isprintable() for url in (*urls, *remote.push_urls)):
            raise GitMisused("The address of a remote is not valid. Change it with `git remote set-url`.")
        return remote

    def target(self, branch: str) -> str:
        """Return the ref that the branch is pushed to. Raises GitMisused."""
        ref = self.last(f"branch.{branch}.merge") or f"refs/heads/{branch}"
        if not BRANCH_REF.fullmatch(ref):
            raise GitMisused(f"The upstream of branch {branch} is not a branch: {ref[:60]}.")
        return ref

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


def local_path(url: str) -> Path | None:
    """Return the path of a repository on this server, None for an address elsewhere, as git tells them apart."""
    if url.lower().startswith("file://"):
        _host, slash, path = url[len("file://") :].partition("/")
        return Path(unquote(slash + path))  # unlike in other addresses, ? and # are part of the path
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
