"""Parsers of export files, one module per format. Each yields `parsed_post.ParsedPost`.

A process that imports nothing does not load the parsers: this module has the names of the formats.
"""

from __future__ import annotations

from typing import Literal, get_args

Format = Literal["markdown", "ghost", "wordpress", "blogsvc"]
FORMATS: tuple[Format, ...] = get_args(Format)
FORMAT_LABELS: dict[Format, str] = {
    "markdown": "Markdown with front matter",
    "ghost": "Ghost",
    "wordpress": "WordPress",
    "blogsvc": "blogsvc (JSON)",
}
# The `format` and `version` of the JSON export of blogsvc.
JSON_FORMAT, JSON_VERSION = "blogsvc-export", 1
# The file in the Markdown export with the authors.
AUTHORS = "authors.json"
# The file in the Markdown export with what the blog is called and looks like.
BLOG = "blog.json"
# The file in the Markdown export with the original names and the alt texts of the images.
IMAGES = "media.json"
# The file in the Markdown export with the old addresses that are not of a post.
OLD_ADDRESSES = "old-addresses.json"
# The file in the Markdown export with the redirects that the owner made.
REDIRECTS = "redirects.json"
# The file in the Markdown export with what the pages of series begin with.
SERIES = "series.json"
# The file in the Markdown export with what the pages of tags begin with.
TAG_PAGES = "tag-pages.json"
