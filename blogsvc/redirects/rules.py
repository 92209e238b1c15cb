"""The rules about the fields of a redirect: its path, its target and its status."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple
from unicodedata import normalize
from urllib.parse import SplitResult, unquote, urlsplit

from sqlalchemy import select

from blogsvc.errors import Fault, Invalid
from blogsvc.lib import blog_paths
from blogsvc.lib.sequences import batched
from blogsvc.models import Post, PostSlug, db
from blogsvc.models.redirect import GONE, MAX_ADDRESS_LENGTH, MAX_TARGET_LENGTH, Target
from blogsvc.posts.old_addresses import OF_SERVICE, QUERY_NAMES, normalized
from blogsvc.posts.rules import NOT_A_TARGET

_SLUGS_AT_ONCE = 500
STATUSES = (301, 302, GONE)
NOT_A_PATH = "Enter a path of this blog, such as /old-page."


class Fields(NamedTuple):
    """The fields of a redirect, checked. `address` is the target as it was given; None if the page is gone."""

    path: str
    address: str | None
    status: int


def checked(path: str, target: str | None, status: int, public_url: str) -> Fields:
    """Return the checked fields. Raises Invalid."""
    faults: list[Fault] = []
    fields = Fields(_path(path, faults), None, _status(status, faults))
    if fields.status == GONE:
        if target and target.strip():
            faults.append(Fault("#/target", "invalid", "A page that is gone (410) has no target. Remove the target."))
    else:
        fields = fields._replace(address=_address(target or "", fields.path, public_url, faults))
    if faults:
        raise Invalid(*faults)
    return fields


def stored_targets(addresses: Iterable[str | None]) -> dict[str | None, Target]:
    """Return what is stored for targets: posts for their addresses, so that the redirects follow the posts."""
    asked = dict.fromkeys(addresses)
    slugs = {address: slug for address in asked if address is not None and (slug := _slug(address))}
    post_ids: dict[str, str] = {}
    for some in batched(slugs.values(), _SLUGS_AT_ONCE):
        query = select(PostSlug.slug, PostSlug.post_id).join(Post, Post.id == PostSlug.post_id)
        query = query.where(PostSlug.slug.in_(some), Post.deleted_at.is_(None))
        post_ids.update(iter(db.session.execute(query)))
    return {
        address: Target(post_id=post_ids[slug])
        if (slug := slugs.get(address or "", "")) in post_ids
        else Target(address=address)
        for address in asked
    }


def _slug(address: str) -> str:
    """Return the slug of a target, if it may be the address of a post."""
    path = normalize("NFC", unquote(address)).removesuffix("/")
    is_plain = path.startswith("/") and not {"?", "#", "*"} & set(address)
    return path[1:] if is_plain and "/" not in path[1:] else ""


def _status(status: int, faults: list[Fault]) -> int:
    if status not in STATUSES:
        faults.append(Fault("#/status", "not_one_of", "The status must be 301, 302 or 410."))
    return status


def _path(text: str, faults: list[Fault]) -> str:
    """Return a path as it is stored. A URL, such as one of the old blog, counts as its path."""
    if len(text) > MAX_TARGET_LENGTH or (parts := _split(text.strip())) is None:
        faults.append(Fault("#/path", "invalid", NOT_A_PATH))
        return ""
    decoded = unquote(parts.path) + (f"?{parts.query}" if parts.query else "")
    path = normalized(decoded)
    if not text.strip():
        faults.append(Fault("#/path", "required", NOT_A_PATH))
    elif len(decoded) > MAX_ADDRESS_LENGTH:
        faults.append(Fault("#/path", "too_long", f"A path must have at most {MAX_ADDRESS_LENGTH} characters."))
    elif detail := _obstacle(path, parts):
        faults.append(Fault("#/path", "invalid", detail))
    return path


def _obstacle(path: str, parts: SplitResult) -> str | None:
    """Return why a path can't be redirected, and how to fix it."""
    if parts.query and "?" not in path:
        names = ", ".join(sorted(QUERY_NAMES))
        return f"A redirect can't depend on this query. It may depend on one of these parameters: {names}."
    if not path and parts.path and not parts.path.strip("/"):
        return "The home page can't be redirected."
    if not path.startswith("/") or not blog_paths.is_canonical(path.partition("?")[0]):
        return NOT_A_PATH
    if "*" in path.removesuffix("/*"):
        return "A * can only be at the end, after a slash: /old/* stands for all paths below /old."
    if path.split("/")[1] in OF_SERVICE:
        return f"Paths below {'/'.join(path.split('/')[:2])} belong to blogsvc and can't be redirected."
    return None


def _address(text: str, path: str, public_url: str, faults: list[Fault]) -> str:
    """Return a target: a path of this blog, or a URL."""
    address = text.strip()
    parts = _split(address)
    if parts is not None and parts.netloc and _origin(parts) == _origin(urlsplit(public_url)):
        parts = parts._replace(scheme="", netloc="", path=parts.path or "/")
        address = parts.geturl()
    if not address:
        faults.append(Fault("#/target", "required", f"{NOT_A_TARGET} For a page that is gone, choose the status 410."))
    elif len(address) > MAX_TARGET_LENGTH:
        faults.append(Fault("#/target", "too_long", f"A target must have at most {MAX_TARGET_LENGTH} characters."))
    elif parts is None or not _can_be_sent(address, parts):
        faults.append(Fault("#/target", "not_a_url", NOT_A_TARGET))
    elif "*" in address and not (path.endswith("/*") and address.endswith("/*") and address.count("*") == 1):
        detail = "A * in the target must be at its end, after a slash, and the path must end in /* as well."
        faults.append(Fault("#/target", "invalid", detail))
    elif not parts.netloc and path and normalized(unquote(address)) == path:
        faults.append(Fault("#/target", "invalid", f"The redirect of {path} leads to itself. Enter another target."))
    return address


def _can_be_sent(address: str, parts: SplitResult) -> bool:
    if not address.isprintable() or " " in address or "\\" in address:
        return False
    if parts.netloc:
        return bool(parts.hostname) and "@" not in parts.netloc
    return address.startswith("/") and "//" not in parts.path and blog_paths.is_canonical(unquote(parts.path))


def _split(address: str) -> SplitResult | None:
    """Return the parts of a path or of an http(s) URL; None for anything else."""
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:
        return None
    is_url = parts.scheme in ("http", "https") and parts.netloc
    return parts if is_url or not (parts.scheme or parts.netloc) else None


def _origin(parts: SplitResult) -> tuple[str, str | None, int | None]:
    return parts.scheme, parts.hostname, parts.port
