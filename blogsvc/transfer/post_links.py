"""Links between the posts of an import, however the old blog wrote them: they lead to the imported posts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import unescape
from itertools import islice
from pathlib import PurePosixPath
from typing import Any
from unicodedata import normalize
from urllib.parse import parse_qs, unquote, urljoin

from sqlalchemy import select

from blogsvc.lib import blog_paths
from blogsvc.lib.markdown.code_places import code_places
from blogsvc.lib.markdown.fragments import github_name
from blogsvc.lib.markdown.image_links import quoted
from blogsvc.lib.text.plain import slugify
from blogsvc.models import Post, db
from blogsvc.models.import_job import ImportedPost
from blogsvc.transfer.formats.dialects.lost_links import without_links
from blogsvc.transfer.formats.obsidian.blocks import anchor_name
from blogsvc.transfer.formats.parsed_post import ParsedPost, is_web, url_parts
from blogsvc.transfer.formats.sites.post_paths import file_key, post_path
from blogsvc.transfer.import_slugs import slug_of

_LINK = re.compile(
    r"""(?:(?P<before>\]\(|\shref=["']|^[ ]{0,3}\[[^\[\]\n]{1,200}+\]:[ ]{0,9}+)
          (?:<(?P<angled>[^<>\n]{1,500}+)>|(?P<url>(?:[^\s()<>"']|\([^\s()<>"']{0,200}+\)){1,500}+))(?=[\s)"']|\Z))
      | <(?P<auto>https?://[^\s<>]{1,500}+)>
      | (?<![!\\\[])\[\[(?P<title>[^\[\]\n|\#]{0,300}+)(?:\#(?P<part>[^\[\]\n|]{0,300}+))?
          (?:\|(?P<words>[^\[\]\n]{0,300}+))?\]\](?!\()""",
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
_ID = re.compile(r"""\s(?:id|name)\s{0,9}+=\s{0,9}+["']?([^\s"'<>]{1,300}+)""", re.IGNORECASE)
_OF_FOOTNOTE = re.compile(r"fn(?:ref)?[:\d-]")
MAX_NAMED = 20
_NAME = re.compile(r"(?!\s)[^*\"'`$\\<>:?=]++(?<!\s)")  # of a note; other programs show double brackets as text
_INDEX = re.compile(r"[A-Za-z0-9_)\]]\[\[(?:\d{1,9}|[A-Za-z])\]\]")  # as in "x[[1]]"
_FILE = re.compile(r"\.(?:md|markdown|mdx)\Z", re.IGNORECASE)
_IDS = ("p", "page_id")  # the parameters with which WordPress names a post


def with_links_home(text: str, import_id: str, post: ParsedPost, choices: Mapping[str, Any], notes: list[str]) -> str:
    """Return the text of a post in which links to posts of the same import lead to the imported posts.

    The addresses that the post itself had tell the host of the old blog. Links of Obsidian to notes that are not here
    become their words, and a sentence in `notes` names these.
    """
    links = list(_LINK.finditer(text))
    if not links:
        return text
    host = next((plain_address(url).partition("/")[0] for url in post.addresses if is_web(url)), "")
    own_ids = frozenset(map(unescape, _ID.findall(text)))
    own_path = "" if post.is_note else next((url_parts(url).path for url in post.addresses), "")
    homes = _Homes.of(import_id, choices, host, own_path, links, own_ids, is_note=post.is_note)
    if all(homes.written(link) == link[0] and not homes.missing(link) for link in links):
        return text
    code = code_places(text)
    missing = dict[str, None]()

    def read(link: re.Match[str]) -> str:
        if code.end_at(link.start()) is not None:
            return link[0]
        if name := homes.missing(link):
            missing[name] = None
        return homes.written(link)

    text = _LINK.sub(read, text)
    if missing:
        more = f" and {len(missing) - MAX_NAMED} more" if len(missing) > MAX_NAMED else ""
        names = ", ".join(f"“{name[:100]}”" for name in islice(missing, MAX_NAMED))
        notes.append(f"Links to notes that are not imported are only words now: {names}{more}.")
        text = without_links(text, homes.is_missing_file)
    return text


@dataclass(frozen=True)
class _Homes:
    """The paths of imported posts by their old address, by the name of their file or their slug, and by their title.

    `own_path` is the old path of the post with the links, and `own_ids` are the ids in its text.
    With `is_note`, links may name headings by their words, as in Obsidian.
    """

    host: str
    own_path: str
    own_ids: frozenset[str]
    is_note: bool
    by_address: Mapping[str, str]
    by_name: Mapping[str, str]
    by_title: Mapping[str, str]

    @classmethod
    def of(
        cls,
        import_id: str,
        choices: Mapping[str, Any],
        host: str,
        own_path: str,
        links: list[re.Match[str]],
        own_ids: frozenset[str],
        *,
        is_note: bool,
    ) -> _Homes:
        urls = [_url_of(link) for link in links if link["title"] is None]
        titles = {link["title"].strip().rstrip("\\") for link in links if link["title"]}
        addresses = {key for url in urls for key in (_address(url, host), _beside(url, host, own_path))}
        names = {*(_name_of_file(url, is_note=is_note) for url in urls), *map(_name_of_title, titles)} - {""}
        names |= {key for url in urls if (key := _key_of_file(url))}
        wanted = (
            (ImportedPost.address, addresses - {""}),
            (ImportedPost.file_name, names),
            (ImportedPost.slug, names),
            (ImportedPost.title, titles),
        )
        found: list[dict[str, str]] = []
        for column, values in wanted:
            query = select(column, ImportedPost.id, ImportedPost.slug, Post.slug).outerjoin_from(ImportedPost, Post)
            query = query.where(ImportedPost.import_id == import_id, column.in_(values))
            rows = db.session.execute(query.order_by(ImportedPost.number.desc())).all() if values else ()
            slugs = {value: made or slug_of(number, slug, choices) for value, number, slug, made in rows if value}
            found.append({value: blog_paths.of_post(slug) for value, slug in slugs.items()})
        by_address, by_file, by_slug, by_title = found
        return cls(host, own_path, own_ids, is_note, by_address, by_slug | by_file, by_title)

    def written(self, link: re.Match[str]) -> str:
        if link["title"] is not None:
            return self._of_title(link)
        url = _url_of(link)
        target = self._target(url)
        if target is None:
            return link[0]
        return f"[{url}]({target})" if link["auto"] else f"{link['before']}{target}"

    def missing(self, link: re.Match[str]) -> str:
        """Return the name of the note to which a link of Obsidian leads if it is not here, else ""."""
        if link["title"] is None:
            url = _url_of(link)
            return PurePosixPath(unquote(url_parts(url).path)).stem if self.is_missing_file(url) else ""
        title = link["title"].rstrip("\\")
        is_index = _INDEX.match(link.string, max(link.start() - 1, 0)) is not None
        if not self.is_note or not _NAME.fullmatch(title) or title.lower() == "toc" or is_index:
            return ""
        return "" if self._path(title) else title

    def is_missing_file(self, url: str) -> bool:
        """Return True for the address in a link of Obsidian to a file with a note that is not here."""
        parts = url_parts(url)
        is_file = self.is_note and not parts.path.startswith("/") and _FILE.search(parts.path)
        name = _name_of_file(url, is_note=True) if is_file else ""
        return bool(name) and name not in self.by_name

    def _path(self, title: str) -> str | None:
        return self.by_title.get(title) or self.by_name.get(_name_of_title(title))

    def _of_title(self, link: re.Match[str]) -> str:
        """Return a wiki link as a link, as its words if the note is missing, or as it is written if it may be none."""
        title = link["title"].strip().rstrip("\\")  # which is before the bar in tables
        parts = [part.strip() for part in (link["part"] or "").rstrip("\\").split("#") if part.strip()]
        name = _part_name(parts[-1]) if parts else ""  # the last of headings below each other
        # As Obsidian shows them; "[^" is the mark of a footnote.
        words = link["words"] or re.sub(r"\A\^", r"\^", " > ".join(filter(None, [title, *parts])))
        if not title:  # a heading or a block of the same text
            return f"[{words}](#{name})" if name else link[0]
        path = self._path(title)
        if path is None:
            return words if self.missing(link) else link[0]
        return f"[{words}]({path}{'#' + name if name else ''})"

    def _target(self, url: str) -> str | None:
        parts = url_parts(url)
        ids = parse_qs(parts.query)
        is_by_path = not parts.query or (parts.path.strip("/") != "" and not any(name in ids for name in _IDS))
        path = self.by_address.get(_address(url, self.host)) if is_by_path else None
        path = path or self.by_address.get(_beside(url, self.host, self.own_path))
        path = path or self.by_name.get(_key_of_file(url))
        path = path or self.by_name.get(_name_of_file(url, is_note=self.is_note))
        if path is not None:
            name = self._fragment(parts.fragment, is_own=False)
            return f"{path}{'#' + name if name else ''}"
        is_here = not parts.scheme and not parts.netloc
        if is_here and not parts.path and not parts.query:
            name = self._fragment(parts.fragment, is_own=True)
            return f"#{name}" if name not in ("", parts.fragment) else None
        is_of_host = parts.netloc.lower().removeprefix("www.") == self.host
        if (is_here or is_of_host) and parts.path.strip("/") in ("", "index.php"):
            # The redirects of the import lead on from these addresses, and browsers keep the fragment.
            named = next((f"/?{name}={ids[name][0]}" for name in _IDS if ids.get(name, [""])[0].isdigit()), None)
            named = f"{named}#{parts.fragment}" if named and parts.fragment else named
            return named if named != url else None
        return None

    def _fragment(self, fragment: str, *, is_own: bool) -> str:
        """Return the fragment of a link to a part of a post, or of the same text (`is_own`)."""
        words = unquote(fragment).rpartition("#")[2].strip()
        is_id = (is_own and words in self.own_ids) or _OF_FOOTNOTE.match(words)
        return _part_name(words) if words.startswith("^") or (self.is_note and not is_id) else quoted(fragment)


def _part_name(words: str) -> str:
    """Return the name of the heading with these words, or of the block with this id, `^id`."""
    return anchor_name(words[1:]) if words.startswith("^") else github_name(words)


def _url_of(link: re.Match[str]) -> str:
    return link["url"] or link["angled"] or link["auto"]


def _address(url: str, host: str) -> str:
    """Return the old address that a link names, without scheme; "" if there is none."""
    full = f"https:{url}" if url.startswith("//") else url
    if is_web(full):
        return plain_address(full)
    return plain_address(f"https://{host}{url}") if host and re.match(r"/(?!/)", url) else ""


def _beside(url: str, host: str, own_path: str) -> str:
    """Return the old address that a link such as "../b/" names, as seen from the old path of its post; else ""."""
    parts = url_parts(url)
    if not own_path.startswith("/") or parts.query or not parts.path.startswith(("./", "../")):
        return ""
    path = urljoin(own_path, parts.path)
    return plain_address(f"https://{host}{path}") if host else plain_address(path)


def _name_of_file(url: str, *, is_note: bool) -> str:
    """Return the name of the file that a link names, as a slug, such as "../My Post.md" or "/my-post"; else "".

    Links of a note may name files without their suffix.
    """
    parts = url_parts(url)
    is_bare = not PurePosixPath(parts.path).suffix if is_note else re.fullmatch("/[^/.]+", parts.path)
    is_file = is_bare or _FILE.search(parts.path)
    if parts.scheme or parts.netloc or not is_file:
        return ""
    return slugify(post_path(unquote(parts.path)))


def _key_of_file(url: str) -> str:
    """Return the key of the file that a link names from the top of the archive; "" if it names none."""
    parts = url_parts(url)
    is_file = not parts.scheme and not parts.netloc and parts.path.startswith("/") and _FILE.search(parts.path)
    return file_key(normalize("NFC", unquote(parts.path)).lstrip("/")) if is_file else ""


def _name_of_title(title: str) -> str:
    return "" if title.lower() == "toc" else slugify(post_path(title))


def is_post_url(url: str) -> bool:
    """Return True for a full URL whose path names a post. A query alone, as in "/?p=13", does not."""
    return is_web(url) and not url_parts(url).query


def address_of(post: ParsedPost) -> str | None:
    """Return the old address by which links find a post: without scheme, and only a path if its host is unknown."""
    paths = (url for url in post.addresses if url.startswith("/") and not url.startswith("//") and "?" not in url)
    return next((plain_address(url) for url in (*filter(is_post_url, post.addresses), *paths)), None)


def plain_address(url: str) -> str:
    """Return a URL without scheme, "www.", query, trailing slash and percent-encoding."""
    parts = url_parts(url)
    return f"{(parts.hostname or '').removeprefix('www.')}{normalize('NFC', unquote(parts.path)).rstrip('/')}"[:500]
