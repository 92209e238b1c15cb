"""Create, change and remove redirects."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from sqlalchemy import select

from blogsvc.errors import Fault, Invalid
from blogsvc.lib.ids import new_id
from blogsvc.models import Redirect, db, missing_address, transaction
from blogsvc.models.redirect import GONE, known
from blogsvc.models.setting import site_changed
from blogsvc.redirects import loops, rules
from blogsvc.redirects.listing import shown


def create(path: str, target: str | None, status: int, public_url: str) -> Redirect:
    """Create a redirect, and return it.

    Args:
        path: a path of this blog; it may end in "/*", and a URL counts as its path.
        target: a path of this blog, or a URL; None for a page that is gone.

    Raises Invalid.
    """
    fields = rules.checked(path, target, status, public_url)
    row = Redirect(id=new_id("rdr"), source="user", hit_count=0)
    with transaction():
        _require_free(fields.path)
        store(row, fields)
        require_no_loop([fields])
        db.session.add(row)
    return row


def change(row: Redirect, changes: Mapping[str, str | int | None], public_url: str) -> Redirect:
    """Change `path`, `target` or `status` of a redirect. An imported one becomes the user's. Raises Invalid.

    A status of 410 removes the target.
    """
    status, (now,) = int(changes.get("status") or row.status), shown([row])
    target = changes.get("target", None if status == GONE else now.address)
    fields = rules.checked(str(changes.get("path", row.path)), str(target or ""), status, public_url)
    is_kept, leads_to = fields.address == now.address, row.leads_to
    with transaction():
        if fields.path != row.path:
            _require_free(fields.path)
        require_no_loop([fields], but=[row.path])
        store(row, fields)
        if is_kept:  # a tag stays a tag
            row.lead_to(leads_to)
    return row


def remove(row: Redirect) -> None:
    with transaction():
        _renew_pages([row.path])
        db.session.delete(row)


def store(row: Redirect, fields: rules.Fields) -> None:
    """Give a redirect these fields, inside the caller's transaction."""
    _renew_pages([fields.path, row.path or ""])
    row.path, row.status, row.source = fields.path, fields.status, "user"
    row.lead_to(rules.stored_target(fields.address))
    missing_address.remove([fields.path])


def require_no_loop(changed: Iterable[rules.Fields], but: Collection[str] = ()) -> None:
    """Raise Invalid if redirects with these fields lead in a circle, or through too many others.

    Args:
        but: the paths of redirects that they replace.
    """
    new = {one.path: rules.stored_target(one.address).address for one in changed}
    # Those that lead to posts, images and tags are many, and matter only where they end a chain.
    for are_all in (False, True):
        query = select(Redirect.path, Redirect.target)
        query = query if are_all else query.where(Redirect.target.is_not(None))
        stored = {path: target for path, target in db.session.execute(query) if path not in but}
        chains = loops.chains(stored | new)
        if not chains:
            return
    raise Invalid(*(Fault("#/target", "loop", loops.in_words(chain)) for chain in chains[:1]))


def _require_free(path: str) -> None:
    if known([path]):
        raise Invalid(Fault("#/path", "taken", f"There is already a redirect of {path}. Change that one."))


def _renew_pages(paths: Iterable[str]) -> None:
    """Renew the stored pages if one of these paths is a query on the front page, which is stored by its query."""
    if any("?" in path for path in paths):
        site_changed()
