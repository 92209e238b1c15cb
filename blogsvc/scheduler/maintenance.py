"""What runs once a day."""

from __future__ import annotations

import logging
from collections.abc import Callable

from blogsvc.context import Tools
from blogsvc.media import images
from blogsvc.models import (
    page_view,
    retention,
    transaction,
)
from blogsvc.models.background_errors import log_failure
from blogsvc.models.setting import keep_feed_host
from blogsvc.posts import blank_drafts, missing_html, publishing, trash
from blogsvc.transfer import importing

log = logging.getLogger(__name__)


def run_daily_maintenance(tools: Tools, is_closing: Callable[[], bool] = lambda: False) -> None:
    """Recompute scheduled times after time zone changes, and delete data past its retention period.

    Stops between two steps if `is_closing`.
    """
    now = tools.now()
    with transaction():
        keep_feed_host(tools.config.public_url)
    for step in (
        publishing.update_wall_times,
        lambda: trash.empty_trash(now),
        lambda: blank_drafts.erase_blank_drafts(now),
        lambda: retention.delete_old_rows(tools.config, now),
        page_view.correct_row_count,
        lambda: missing_html.render_missing(is_closing),
        lambda: images.remove_orphans(tools.config, now),
        lambda: importing.delete_old_imports(now, tools.config),
    ):
        if not is_closing():
            try:
                step()
            except Exception as error:  # such as of the storage of images; the others don't need it
                log_failure(log, error, "a step of the daily maintenance is left out until tomorrow")
