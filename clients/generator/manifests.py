"""Writes the address of the project into the manifests of the packages, from one constant."""

from __future__ import annotations

import re

# The web address of the repository, without a slash at the end, for example https://git.example.org/blogsvc. Set it
# before the first release, and run `make clients`. While it is empty, the packages name no address.
PROJECT_URL = ""

# For each manifest: its lines with the address, and the text in front of which they stand.
LINES = {
    "python/pyproject.toml": (
        '[project.urls]\nHomepage = "{url}"\nIssues = "{url}/issues"\n\n',
        "[tool.flit.module]\n",
    ),
    "node/package.json": (
        '  "homepage": "{url}",\n'
        '  "bugs": "{url}/issues",\n'
        '  "repository": {\n'
        '    "type": "git",\n'
        '    "url": "git+{url}.git",\n'
        '    "directory": "clients/node"\n'
        "  },\n",
        '  "author":',
    ),
    "php/composer.json": (
        '    "homepage": "{url}",\n    "support": {\n        "issues": "{url}/issues"\n    },\n',
        '    "authors":',
    ),
    "ruby/blogsvc.gemspec": (
        '  spec.homepage = "{url}"\n  spec.metadata["bug_tracker_uri"] = "{url}/issues"\n',
        "  spec.files =",
    ),
}


def with_address(path: str, text: str, url: str) -> str:
    """Return the text of a manifest with this address in place of its own, or without an address."""
    lines, after = LINES[path]
    own = re.escape(lines).replace(re.escape("{url}"), r'[^"\n]+?')
    text = re.sub(own, "", text)
    assert text.count(after) == 1, f"{path} does not have {after!r} once"
    return text.replace(after, (lines.replace("{url}", url) if url else "") + after)
