"""Every dialog, menu and question is accessible, at both widths and in both color schemes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Desk, Watched
from tests.browser.dialogs import DIALOGS, SOON, Opened, a_desk_with_dialogs
from tests.tiers import every, matrix

# Images of other sites and uploads, which fail on purpose.
FAILURES = ("ERR_FAILED", "ERR_NAME_NOT_RESOLVED", "policy: img-src", "Content Security Policy directive")


@pytest.fixture(scope="module")
def desk() -> Iterator[Desk]:
    with a_desk_with_dialogs() as desk:
        yield desk


@matrix("name", DIALOGS, default=every(4, DIALOGS))
def test_every_dialog_is_accessible(
    name: str, page: Page, desk: Desk, look: Callable[..., None], watched: Watched
) -> None:
    watched.expect(*FAILURES)
    expect(getattr(Opened(page, desk), name)()).to_be_visible(timeout=SOON)
    look(page, f"dialog-{name.replace('_', '-')}", all_views=True)
