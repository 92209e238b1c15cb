"""A git directory of our own, whose objects, branches and index are those of a work tree.

Git obeys the configuration of the git directory that it is given, and keeps the notes of its operations there. So with
this one, nothing that others write to the `.git` of a work tree makes git run a program, use another place or another
remote. The links are those that `git new-workdir` makes.
"""

from __future__ import annotations

import os
from pathlib import Path

from blogsvc.connectors.folder.git_command import GitMisused
from blogsvc.connectors.folder.git_settings import is_branch

LINKED = ("objects", "refs", "packed-refs", "shallow", "info")
MAX_HEAD_BYTES = 1000


def make_view(git_dir: Path, view: Path, branch: str, config: str, has_index: bool = True) -> Path:
    """Make the directory `view` for the repository `git_dir`, with its index or an own, and return it."""
    view.mkdir()
    for name in (*LINKED, "index") if has_index else LINKED:
        (view / name).symlink_to(git_dir / name)
    (view / "HEAD").write_text(f"ref: refs/heads/{branch}\n")
    (view / "config").write_text(config)
    return view


def checked_out(git_dir: Path) -> str:
    """Return the branch that is checked out, even without commits. Raises GitMisused if none is."""
    file = os.open(git_dir / "HEAD", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        head = os.read(file, MAX_HEAD_BYTES).decode(errors="replace").strip()
    finally:
        os.close(file)
    ref = head.removeprefix("ref:").strip()
    if not head.startswith("ref:") or not is_branch(ref):
        raise GitMisused("No branch is checked out there.")
    return ref.removeprefix("refs/heads/")
