"""What was pushed from a directory, kept in DIRECTORY/.blogsvc/posts.json."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from pydantic.alias_generators import to_camel

from blogsvc.cli.posts.files import ARGUMENTS, BadFile
from blogsvc.lib.files import atomic_files

# The time of a post can change on the server without anybody who changes it: a missed post, for example.
COMPARED = sorted({to_camel(argument) for argument in ARGUMENTS.values()} - {"scheduledAt"} | {"content"})


def fingerprint(post: Mapping[str, Any]) -> str:
    """Return a hash of the fields of a post, as the API returns it, that users change."""
    return hashlib.sha256(json.dumps({name: post[name] for name in COMPARED}, sort_keys=True).encode()).hexdigest()


@dataclass
class Entry:
    """The post of a file."""

    id: str
    # The digest of the file that was pushed, and the arguments that it set.
    sent: str = ""
    names: list[str] = field(default_factory=list)
    # The fingerprint of the post after the last push.
    saved: str = ""
    # The digest of the file whose post was published or scheduled last.
    published: str = ""


@dataclass
class PushState:
    """The posts and images of one server, and of the others that the directory is pushed to."""

    path: Path
    server: str
    # By the path of the file in the directory.
    entries: dict[str, Entry]
    # Files of which the post may exist already, since their first push was interrupted, with the time of that push.
    begun: dict[str, str]
    # The URLs of uploaded images by the hash of their file.
    images: dict[str, str]
    others: dict[str, Any]

    @classmethod
    def load(cls, directory: Path, server: str) -> PushState:
        """Return the state of a directory. Raises BadFile if its file is damaged."""
        path = directory / ".blogsvc" / "posts.json"
        try:
            servers = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
            state = servers.pop(server, {})
            entries = {name: Entry(**entry) for name, entry in state.get("posts", {}).items()}
        except (ValueError, TypeError, AttributeError) as error:
            raise BadFile(f"{path} is damaged: {error}. Restore it, for example from your repository.") from error
        return cls(path, server, entries, state.get("begun", {}), state.get("images", {}), servers)

    def save(self) -> None:
        state = {
            "posts": {name: asdict(entry) for name, entry in sorted(self.entries.items())},
            "begun": self.begun,
            "images": self.images,
        }
        if self.path.parent.is_symlink():
            raise BadFile(f"{self.path.parent} is a link to another directory. Remove it.")
        self.path.parent.mkdir(exist_ok=True)
        text = json.dumps({**self.others, self.server: state}, indent=2, sort_keys=True, ensure_ascii=False)
        atomic_files.write(self.path, f"{text}\n".encode(), mode=0o644)
