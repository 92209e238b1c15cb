"""The paths here of the posts that template tags and links name by their files."""

from __future__ import annotations

import hashlib
import re


def post_path(reference: str) -> str:
    """Return the path here of a post that a tag names by its file, such as "/posts/a/index.md#part"."""
    file, hash_mark, fragment = reference.partition("#")
    path = re.sub(r"(?:^|/)_?index(?:\.\w{2,5})?\.\w+$", "", file.rstrip("/")).rpartition("/")[2]
    slug = re.sub(r"^\d{4}-\d\d-\d\d-", "", re.sub(r"(?:\.[a-z]{2})?\.(?:md|markdown|mdx|html?)$", "", path))
    return f"{f'/{slug}' if file else ''}{hash_mark}{fragment}"


def file_key(path: str) -> str:
    """Return the key of a file by its path in the archive, if another file has the same name."""
    return hashlib.sha256(path.encode("utf-8", "replace")).hexdigest()[:40]
