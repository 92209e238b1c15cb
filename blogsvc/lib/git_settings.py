"""The settings that a repository's own configuration may have.

Who can write to a work tree can write to its `.git/config`, too. Many settings make git run a program, as the user of
the server, or read and write other places, and git cannot ignore this file. So only settings that are known to be
harmless are allowed: those that `git init`, `git clone` and common tools write, those that `git_command.CONFIG` and its
environment override, and those that no command of `git.py` uses.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from blogsvc.lib.git_command import GitMisused

# Keys in lower case, as git lists them. In `*.key`, the asterisk is the name of a remote, branch or URL.
ALLOWED = {
    "advice": "*",
    "alias": "*",
    "branch": "*",
    "color": "*",
    "commit": "*",
    "core": (
        "abbrev bare bigfilethreshold checkstat commentchar commitgraph compression eol excludesfile filemode"
        " hidedotfiles ignorecase logallrefupdates"
        " longpaths loosecompression precomposeunicode preloadindex quotepath repositoryformatversion safecrlf"
        " sharedrepository sparsecheckout sparsecheckoutcone symlinks trustctime untrackedcache whitespace"
        # overridden
        " autocrlf editor fsmonitor hookspath pager sshcommand"
    ),
    "credential": "*.username username *.usehttppath usehttppath",
    "diff": "algorithm colormoved ignoresubmodules mnemonicprefix noprefix renamelimit renames submodule tool",
    "extensions": "objectformat partialclone preciousobjects refstorage worktreeconfig",
    "fetch": "parallel prune prunetags recursesubmodules writecommitgraph",
    "gc": "auto autodetach pruneexpire reflogexpire reflogexpireunreachable",
    "gitflow": "*",
    "gitlab": "*",
    "gitweb": "*",
    "gpg": "*",
    "grep": "*",
    "gui": "*",
    "help": "*",
    "http": "getanyfile lowspeedlimit lowspeedtime postbuffer receivepack uploadpack version",
    "index": "*",
    "init": "*",
    "lfs": "*.access fetchexclude fetchinclude *.locksverify pushurl repositoryformatversion url",
    "log": "date decorate showsignature",
    "maintenance": "*",
    "merge": "conflictstyle ff log renamelimit renames tool verbosity",
    "pack": "*",
    "protocol": "*",
    "pull": "*",
    "push": "autosetupremote default followtags gpgsign recursesubmodules useforceifincludes",
    "rebase": "autosquash autostash backend stat updaterefs",
    "receive": (
        "advertisepushoptions autogc denycurrentbranch denydeletenonff denydeletes denynonfastforwards"
        " fsckobjects maxinputsize unpacklimit updateserverinfo"
    ),
    "remote": (
        "*.fetch *.followremotehead *.gh-resolved *.mirror *.partialclonefilter *.promisor *.prune *.prunetags"
        " *.push *.pushurl *.skipdefaultupdate *.skipfetchall *.tagopt *.url pushdefault"
    ),
    "rerere": "*",
    "status": "*",
    "submodule": "*",
    "tag": "*",
    "transfer": "fsckobjects hiderefs unpacklimit",
    "uploadpack": "allowanysha1inwant allowfilter allowreachablesha1inwant allowtipsha1inwant hiderefs",
    "user": "*",
    "versionsort": "*",
}
# The helpers by name that are installed with git and keep what they store for the user alone.
CREDENTIAL_HELPERS = ("", "cache", "libsecret", "manager", "osxkeychain", "store", "wincred")
BRANCH_REF = re.compile(r"refs/heads/[^\x00-\x20\x7f~^:?*\[\\]+")
REMOTE_NAME = re.compile(r"\w[\w./-]*")


@dataclass(frozen=True)
class Settings:
    """The local settings of a repository, all of them allowed. Of repeated settings, all values in order."""

    values: Mapping[str, tuple[str, ...]]

    @classmethod
    def parsed(cls, listed: str) -> Settings:
        """Parse the output of `git config --list --show-scope -z`. Raises GitMisused for a setting that isn't allowed.

        The settings of the user and the system are not local: they count as the operator's.
        """
        values: dict[str, tuple[str, ...]] = {}
        parts = listed.split("\0")
        for scope, entry in zip(parts[::2], parts[1::2], strict=False):
            if scope in ("local", "worktree"):
                key, _, value = entry.partition("\n")
                if not _is_allowed(key, value):
                    raise GitMisused(
                        f"The configuration of this repository has a setting that blogsvc doesn't allow there: {key}."
                        " Remove it, or set it for the user of the server with `git config --global`."
                    )
                values[key] = (*values.get(key, ()), value)
        return cls(values)

    def urls(self) -> list[str]:
        """Return the addresses of all remotes."""
        keys = [key for key in self.values if re.fullmatch(r"remote\..*\.(push)?url", key, re.DOTALL)]
        return [url for key in keys for url in self.values[key]]

    def remote(self, branch: str) -> str:
        """Return the name of the branch's remote, else the usual one, "" without remotes. Raises GitMisused."""
        names = [key[len("remote.") : -len(".url")] for key in self.values if re.fullmatch(r"remote\..*\.url", key)]
        usual = "origin" if "origin" in names else "".join(names[:1])
        name = self._last(f"branch.{branch}.remote") or usual
        if name and (name not in names or not REMOTE_NAME.fullmatch(name)):
            raise GitMisused(f"The remote of branch {branch} is not one of the repository's remotes: {name[:60]}.")
        return name

    def target(self, branch: str) -> str:
        """Return the ref that the branch is pushed to. Raises GitMisused."""
        ref = self._last(f"branch.{branch}.merge") or f"refs/heads/{branch}"
        if not BRANCH_REF.fullmatch(ref):
            raise GitMisused(f"The upstream of branch {branch} is not a branch: {ref[:60]}.")
        return ref

    def _last(self, key: str) -> str:
        return self.values.get(key, ("",))[-1]


def _is_allowed(key: str, value: str) -> bool:
    section, _, rest = key.partition(".")
    name = rest.rpartition(".")[2]
    if section == "credential" and name == "helper":
        return value in CREDENTIAL_HELPERS
    allowed = ALLOWED.get(section, "").split()
    return "*" in allowed or (rest if rest == name else f"*.{name}") in allowed
