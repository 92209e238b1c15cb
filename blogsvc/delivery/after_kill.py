"""After a kill: end the leases and the lead of processes that have ended, so that their work goes on at once."""

from __future__ import annotations

import logging

from blogsvc.context import Tools
from blogsvc.lib.process_lock import ended_processes, forget
from blogsvc.models import Delivery, ImportJob, StagedDraft, WebhookDelivery, transaction
from blogsvc.models.leadership import resign
from blogsvc.models.lease import end_leases_of
from blogsvc.models.process import forget_processes

log = logging.getLogger(__name__)


def end_leases_of_ended_processes(tools: Tools) -> None:
    """End the leases of processes of this instance that were killed. Without this, others wait until they expire."""
    names = ended_processes(tools.config.processes)
    if names:
        end_leases(names, tools)
        forget(tools.config.processes, names)


def end_leases(names: list[str], tools: Tools) -> None:
    """End the leases and the lead of these processes, which are gone."""
    with transaction():
        tables = Delivery, StagedDraft, WebhookDelivery, ImportJob
        ended = [end_leases_of(table, names, tools.now()) for table in tables]
        forget_processes(names)
    resign(names, tools.now())
    if any(ended):
        log.info("another process was stopped during %d deliveries, drafts or imports; they go on", sum(ended))
