"""Create, change and remove redirects."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress

from sqlalchemy import select

from blogsvc.errors import Fault, Invalid
from blogsvc.lib.ids import new_id
from blogsvc.lib.sequences import batched
from blogsvc.models import Redirect, db, missing_address, transaction
from blogsvc.models.redirect import GONE, Target, known
from blogsvc.models.setting import site_changed
from blogsvc.redirects import loops, rules
from blogsvc.redirects.listing import shown

_LOOKED_UP_AT_ONCE = 500


def create(path: str, target: str | None, status: int, public_url: str) -> Redirect:
    """Create a redirect, and return it.

    Args:
        path: a path of this blog; it may end in "/*", and a URL counts as its path.
        target: a path of this blog, or a URL; None for a page that is gone.

    Raises Invalid.
    """
    fields = rules.checked(path, target, status, public_url)
    with transaction():
        _require_free(fields.path)
        leads_to = rules.stored_targets([fields.address])[fields.address]
        _require_no_loop(fields.path, leads_to)
        row = add(fields, leads_to)
        note_changed([fields.path])
    return row


def change(row: Redirect, changes: Mapping[str, str | int | None], public_url: str) -> Redirect:
    """Change `path`, `target` or `status` of a redirect. An imported one becomes the user's. Raises Invalid.

    A status of 410 removes the target.
    """
    status, (now,) = int(changes.get("status") or row.status), shown([row])
    target = changes.get("target", None if status == GONE else now.address)
    fields = rules.checked(str(changes.get("path", row.path)), str(target or ""), status, public_url)
    leads_to, former_path = row.leads_to, row.path
    with transaction():
        if fields.path != former_path:
            _require_free(fields.path)
        if fields.address != now.address:  # the address of a tag that it leads to stays that of the tag
            leads_to = rules.stored_targets([fields.address])[fields.address]
        _require_no_loop(fields.path, leads_to, but=[former_path])
        give(row, fields, leads_to)
        note_changed([fields.path, former_path])
    return row


def remove(row: Redirect) -> None:
    with transaction():
        note_changed([row.path])
        db.session.delete(row)


def add(fields: rules.Fields, leads_to: Target) -> Redirect:
    """Add a redirect with checked fields, inside the caller's transaction."""
    row = Redirect(id=new_id("rdr"), hit_count=0)
    give(row, fields, leads_to)
    db.session.add(row)
    return row


def add_new(rows: Iterable[tuple[str, str, int]], public_url: str) -> None:
    """Add the redirects of another instance of this blog, inside the caller's transaction.

    Left out are those that are not allowed, those whose path has a redirect here, and those that would end in a circle
    with others.

    Args:
        rows: path, target and status of each.
    """
    allowed: dict[str, rules.Fields] = {}
    for row in rows:
        with suppress(Invalid):
            fields = rules.checked(*row, public_url)
            allowed.setdefault(fields.path, fields)
    for paths in batched(list(allowed), _LOOKED_UP_AT_ONCE):
        for path in known(paths):
            del allowed[path]
    targets = rules.stored_targets(fields.address for fields in allowed.values())
    new = {path: targets[fields.address] for path, fields in allowed.items()}
    while wrong := new.keys() & {path for chain in chains_with(new) for path in chain}:
        for path in wrong:
            del new[path]
    for path, leads_to in new.items():
        add(allowed[path], leads_to)
    for paths in batched(new, _LOOKED_UP_AT_ONCE):
        note_changed(paths)


def give(row: Redirect, fields: rules.Fields, leads_to: Target) -> None:
    """Give a redirect checked fields, inside the caller's transaction."""
    row.path, row.status, row.source = fields.path, fields.status, "user"
    row.lead_to(leads_to)


def note_changed(paths: Collection[str]) -> None:
    """Forget that the paths are missing, and renew the stored pages if one of the paths is a query on the front page.

    These pages are stored by their query.
    """
    missing_address.remove(paths)
    if any("?" in path for path in paths):
        site_changed()


def chains_with(targets: Mapping[str, Target], but: Collection[str] = ()) -> list[list[str]]:
    """Return the chains through these paths that are too long, once there are redirects from them to these targets.

    Chains that were there before are no fault of theirs: imports and pages that move may make some.

    Args:
        but: the paths of redirects that they replace.
    """
    new = {path: target.address for path, target in targets.items()}
    chains: list[list[str]] = []
    # Those that lead to posts, images and tags are many, and matter only where they end a chain.
    for conditions in ([Redirect.target.is_not(None)], []):
        query = select(Redirect.path, Redirect.target).where(*conditions)
        stored = {path: target for path, target in db.session.execute(query) if path not in but}
        if not (chains := loops.chains(stored | new, new.keys())):
            break
    return chains


def _require_no_loop(path: str, leads_to: Target, but: Iterable[str] = ()) -> None:
    if chains := chains_with({path: leads_to}, frozenset(but)):
        raise Invalid(Fault("#/target", "loop", loops.in_words(chains[0])))


def _require_free(path: str) -> None:
    if known([path]):
        raise Invalid(Fault("#/path", "taken", f"There is already a redirect of {path}. Change that one."))
