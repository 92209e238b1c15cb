"""After a kill: end the leases and the lead of processes that have ended, so that their work goes on at once."""

from __future__ import annotations

import logging

from blogsvc.context import Tools
from blogsvc.lib.process_lock import ended_processes, forget
from blogsvc.models import Delivery, ImportJob, StagedDraft, WebhookDelivery, transaction
from blogsvc.models.leadership import resign
from blogsvc.models.lease import end_leases_of

log = logging.getLogger(__name__)


def end_leases_of_ended_processes(tools: Tools) -> None:
    """End the leases of processes of this instance that were killed. Without this, others wait until they expire."""
    names = ended_processes(tools.config.processes)
    if not names:
        return
    with transaction():
        tables = Delivery, StagedDraft, WebhookDelivery, ImportJob
        ended = [end_leases_of(table, names, tools.now()) for table in tables]
    resign(names, tools.now())
    forget(tools.config.processes, names)
    if any(ended):
        log.info("a former process was stopped during %d deliveries, drafts or imports; they go on", sum(ended))
