"""The tables of the analytics page: where readers came from, and how reliable and punctual deliveries were."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from blogsvc.analytics.delivery_figures import DeliveryFigures
from blogsvc.analytics.report import PostReport, Report
from blogsvc.analytics.sources import Referrer, Source, sources
from blogsvc.models import SITE
from blogsvc.web.framework.destination_names import DestinationNames

MAX_SOURCES = 4  # with a column of their own
UNKNOWN = "Direct or unknown"
# The 95th percentile of fewer deliveries is only a guess between the two slowest ones.
MIN_DELIVERIES_FOR_P95 = 20


@dataclass(frozen=True)
class PostRow:
    """A post and its views by source, in the order of the columns of the table."""

    post: PostReport
    counts: list[int]


@dataclass(frozen=True)
class PostTable:
    """Which post brought readers from where. `columns` are the names of the sources."""

    columns: list[str]
    rows: list[PostRow]


@dataclass(frozen=True)
class DeliveryRow:
    """The deliveries to one destination, or to all, with their figures in words."""

    name: str
    figures: DeliveryFigures
    success_rate: str
    median: str
    p95: str


def source_name(source: Source, destinations: DestinationNames) -> str:
    """Return the name of a source for people."""
    if source.kind == "destination":
        return ", ".join(map(destinations.label, source.name.split(", ")))
    return source.name or UNKNOWN


def most_common(listed: Sequence[Source], rows: int) -> list[Source]:
    """Return at most this many sources. The last row is unknown sources, if any, and the one before it the rest."""
    known = [source for source in listed if source.kind != "unknown"]
    unknown = [source for source in listed if source.kind == "unknown"]
    room = rows - len(unknown)
    if len(known) <= room:
        return list(listed)
    rest = known[room - 1 :]
    others = Source("website", f"{len(rest)} other sources", sum(source.views for source in rest))
    return [*known[: room - 1], others, *unknown]


def post_table(
    posts: Sequence[PostReport], referrers: Mapping[str, Sequence[Referrer]], destinations: DestinationNames
) -> PostTable:
    """Return the views of posts by source. The rarer sources share a column, and columns without views are left out."""
    by_post = [_by_name(sources(referrers.get(post.post_id, ()), post.views_here), destinations) for post in posts]
    totals = sum(by_post, Counter[str]())
    unknown = totals.pop(UNKNOWN, 0)
    common = [name for name, _ in sorted(totals.items(), key=lambda item: (-item[1], item[0]))[:MAX_SOURCES]]
    columns = {name: [counts[name] for counts in by_post] for name in common}
    if len(totals) > len(common):
        columns["Other websites"] = [
            sum(count for name, count in counts.items() if name not in (*common, UNKNOWN)) for counts in by_post
        ]
    if unknown:
        columns[UNKNOWN] = [counts[UNKNOWN] for counts in by_post]
    elsewhere = [max(0, (post.counts["views"] or 0) - post.views_here) for post in posts]
    if any(elsewhere):
        columns["Read elsewhere"] = elsewhere
    rows = [PostRow(post, [counts[number] for counts in columns.values()]) for number, post in enumerate(posts)]
    return PostTable(list(columns), rows)


def _by_name(found: Sequence[Source], destinations: DestinationNames) -> Counter[str]:
    return Counter({source_name(source, destinations): source.views for source in found})


def views_here(found: Report) -> int:
    """Return the views of this blog itself, without those of copies."""
    return next((row.counts["views"] or 0 for row in found.by_platform if row.platform == SITE), 0)


def delivery_rows(figures: Report, destinations: DestinationNames) -> list[DeliveryRow]:
    """Return a row for each destination with deliveries that were due, and if there are several, one for all."""
    used = [row for row in figures.by_platform if row.deliveries.due]
    rows = [_delivery_row(destinations.label(row.platform), row.deliveries) for row in used]
    return [*rows, _delivery_row("All destinations", figures.deliveries)] if len(rows) > 1 else rows


def _delivery_row(name: str, figures: DeliveryFigures) -> DeliveryRow:
    late = figures.lateness
    if late is None:
        p95 = "–"
    elif late.count < MIN_DELIVERIES_FOR_P95:
        p95 = f"slowest of {late.count}: {duration(late.max)}" if late.count > 1 else duration(late.max)
    else:
        p95 = duration(late.p95)
    rate = percent(figures.delivered, figures.delivered + figures.failed)
    return DeliveryRow(name, figures, rate, "–" if late is None else duration(late.p50), p95)


def percent(count: int, total: int) -> str:
    """Return a share in words. It is 100 % only if it is all of them, and 0 % only if it is none."""
    if not total:
        return "–"
    return f"{100 * count // total} %" if count in (0, total) else f"{min(max(100 * count / total, 0.1), 99.9):.1f} %"


def duration(seconds: float) -> str:
    """Return a duration in words, in its two largest units."""
    if 0.05 <= seconds < 9.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(int(seconds + 0.05), 60)
    hours = minutes // 60
    if hours:
        return f"{hours} h {minutes % 60} min" if hours < 48 else f"{hours // 24} d {hours % 24} h"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
