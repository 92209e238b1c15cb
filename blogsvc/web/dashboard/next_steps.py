"""The next steps that the dashboard suggests to owners, until they are done or hidden."""

from __future__ import annotations

from typing import NamedTuple

from flask import Response
from sqlalchemy import select

from blogsvc.auth import accounts
from blogsvc.auth.reauthentication import Effect
from blogsvc.models import Connection, ImportJob, db
from blogsvc.models.import_job import BEGUN
from blogsvc.web.framework import current_user
from blogsvc.web.framework.rendering import go, notice
from blogsvc.web.framework.routes import route


class NextStep(NamedTuple):
    """A suggestion: its button and the page that the button opens."""

    label: str
    icon: str
    endpoint: str


CONNECT = NextStep("Connect a destination", "plug", "desk.destinations")
IMPORT = NextStep("Import your blog", "download", "desk.imports")

_DONE = select(select(Connection.id).exists(), select(ImportJob.id).where(ImportJob.state.in_(BEGUN)).exists())


def next_steps() -> tuple[NextStep, ...]:
    """Return what the user can still do to set up the blog; nothing if they hid it."""
    user = current_user.user()
    if not user.is_at_least("owner") or not user.prefers("next_steps"):
        return ()
    is_connected, is_imported = db.session.execute(_DONE).one()
    return tuple(step for step, is_done in ((CONNECT, is_connected), (IMPORT, is_imported)) if not is_done)


@route("POST", "/desk/next-steps/hide", role="owner", effect=Effect.ARRANGE)
def hide_next_steps() -> Response:
    accounts.change_preferences(current_user.user(), {"next_steps": False})
    notice("Suggestions hidden. You can find destinations and import in the settings.")
    return go("desk.home")
