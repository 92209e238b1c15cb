"""The URL of a blog of Ghost, in its export and in parsed posts."""

from __future__ import annotations

# What Ghost writes for the URL of the blog, which its export does not contain. In parsed posts, a URL stands for it,
# which the conversion to Markdown keeps as it is; `import_links` replaces it.
GHOST_URL = "__GHOST_URL__"
PLACEHOLDER_HOST = "ghost-url.invalid"
PLACEHOLDER = f"https://{PLACEHOLDER_HOST}"
