"""Convert database rows to response documents.

Rows are trusted, so documents are built without validation. The tests validate every response
against the OpenAPI document.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from blogsvc import context
from blogsvc.api import schemas
from blogsvc.connections.catalog import Platform
from blogsvc.connections.waiting import KnownDestinations
from blogsvc.connectors import connectors
from blogsvc.connectors.base import Connector, Limit, Option
from blogsvc.delivery.article import absolute, address_of
from blogsvc.models import SITE, ApiKey, Attempt, Connection, Delivery, Event, ExtraCopy, Post
from blogsvc.models.creator import Creator
from blogsvc.models.extra_copy import extra_copies_of


def public_url() -> str:
    url: str = context.tools().config.public_url
    return url


def post(row: Post, destinations: KnownDestinations | None = None) -> schemas.PostOut:
    """Return a post. Pass `destinations` to read them once for many posts."""
    destinations = destinations or KnownDestinations()
    return schemas.PostOut.model_construct(
        id=row.id,
        title=row.title,
        content=row.content,
        summary=row.summary,
        slug=row.slug,
        tags=row.tags,
        platforms=row.platforms,
        scheduled_at=row.scheduled_at,
        status=row.state,
        canonical_url=row.canonical_url,
        cover_image=row.cover_image,
        cover_alt=row.cover_alt,
        cover_caption=row.cover_caption,
        language=row.language,
        kind=row.kind,
        authors=row.authors,
        series=row.series,
        series_part=row.series_part,
        is_pinned=row.is_pinned,
        is_unlisted=row.is_unlisted,
        meta_title=row.meta_title,
        overrides=row.overrides,
        url=address_of(row, public_url()),
        has_unpublished_changes=row.has_unpublished_changes,
        word_count=row.word_count,
        created_at=row.created_at,
        updated_at=row.updated_at,
        published_at=row.first_published_at,
        deleted_at=row.deleted_at,
        deliveries=[delivery(copy, destinations) for copy in row.deliveries],
        open=row.open_count,
        warnings=warnings(row.platforms, destinations),
    )


def warnings(platforms: Sequence[str], destinations: KnownDestinations) -> list[schemas.DestinationWarningOut]:
    """Return a warning for each of these destinations that has no account."""
    return [
        schemas.DestinationWarningOut.model_construct(
            pointer=f"#/platforms/{platforms.index(one.destination)}",
            code=one.code,
            platform=one.destination,
            detail=f"{one.detail} The post waits for an account.",
            remediation=one.remediation(public_url()),
        )
        for one in destinations.waiting(platforms)
    ]


def delivery(row: Delivery, destinations: KnownDestinations | None = None) -> schemas.DeliveryOut:
    return schemas.DeliveryOut.model_construct(
        id=row.id,
        platform=row.destination,
        state="blocked" if row.is_blocked else row.state,
        url=absolute(row.url, public_url()),
        remote_id=row.remote_id,
        attempts=row.fence,
        last_error=_last_error(row, destinations),
        next_attempt_at=row.expected_at,
        delivered_at=row.delivered_at,
        drift=row.drift,
        is_draft=row.is_draft,
        extra_count=row.extra_count,
        losses=row.losses or [],
        mailed_at=row.mailed_at,
    )


def _last_error(row: Delivery, destinations: KnownDestinations | None) -> schemas.ErrorOut | None:
    """Return why the delivery does not go on: for a blocked one, what its account lacks."""
    if row.state == "blocked":
        why = (destinations or KnownDestinations()).reason(row.destination)
        return error(why.code, why.detail)
    if row.is_blocked and row.connection is not None:
        return error("disconnected", row.connection.last_error)
    return error(row.error_code, row.error_detail)


def delivery_in_full(row: Delivery) -> schemas.DeliveryDetailOut:
    plain = delivery(row)
    return schemas.DeliveryDetailOut.model_construct(
        **{name: getattr(plain, name) for name in schemas.DeliveryOut.model_fields},
        post_id=row.post_id,
        looked_at=row.looked_at,
        attempt_log=[_attempt(attempt) for attempt in row.attempts],
        extra_copies=[_extra_copy(extra) for extra in extra_copies_of(row.id)],
        mail=schemas.MailOut.model_construct(**asdict(row.mailing)) if row.mailing else None,
    )


def _extra_copy(row: ExtraCopy) -> schemas.ExtraCopyOut:
    return schemas.ExtraCopyOut.model_construct(
        remote_id=row.remote_id, url=row.url, found_at=row.found_at, is_kept=row.is_kept, error=row.error_detail
    )


def _attempt(row: Attempt) -> schemas.AttemptOut:
    return schemas.AttemptOut.model_construct(
        number=row.number,
        operation=row.operation,
        started_at=row.started_at,
        finished_at=row.finished_at,
        milliseconds=row.milliseconds,
        outcome=row.outcome,
        error=error(row.error_code, row.error_detail),
    )


def error(code: str | None, detail: str | None) -> schemas.ErrorOut | None:
    return schemas.ErrorOut(code=code, detail=detail or "") if code else None


def creator(id: str | None) -> schemas.CreatorOut | None:
    found = Creator.of(id)
    return schemas.CreatorOut(type=found.type, id=found.id, name=found.name) if found else None


def event(row: Event) -> schemas.EventOut:
    return schemas.EventOut.model_construct(
        id=row.id,
        type=row.type,
        post_id=row.post_id,
        delivery_id=row.delivery_id,
        data=row.data,
        created_at=row.created_at,
    )


def connection(row: Connection) -> schemas.ConnectionOut:
    kind = connectors().get(row.connector)
    return schemas.ConnectionOut.model_construct(
        name=row.name,
        aliases=row.aliases,
        connector=row.connector,
        label=kind.label if kind else row.connector,
        category=kind.category if kind else "article",
        account=row.account,
        account_url=row.account_url,
        health=row.health,
        last_error=row.last_error,
        settings=row.settings,
        options=[_option(one) for one in kind.options_for(row.facts)] if kind else [],
        verified_at=row.verified_at,
        created_by=creator(row.created_by),
        adopted_by=creator(row.adopted_by),
        created_at=row.created_at,
    )


def site() -> schemas.ConnectionOut:
    """Return the connection of the built-in blog, which always exists."""
    return schemas.ConnectionOut(
        name=SITE,
        aliases=[],
        connector=SITE,
        label=connectors()[SITE].label,
        category="article",
        account=public_url(),
        account_url=public_url(),
        health="ok",
        last_error=None,
        settings={},
        options=[],
        verified_at=None,
        created_by=None,
        adopted_by=None,
        created_at=None,
    )


def platform(entry: Platform) -> schemas.PlatformOut:
    return schemas.PlatformOut.model_construct(
        key=entry.key,
        aliases=list(entry.aliases),
        label=entry.label,
        way=entry.way,
        takes=entry.takes,
        needs=entry.needs,
        reason=entry.reason,
        connections=list(entry.connections),
    )


def connector(kind: type[Connector]) -> schemas.ConnectorOut:
    return schemas.ConnectorOut(
        key=kind.key,
        label=kind.label,
        category=kind.category,
        docs=kind.docs,
        fields=[
            schemas.FieldOut(
                name=field.name,
                label=field.label,
                help=field.help,
                secret=field.secret,
                required=field.required,
                default=field.default,
                choices=list(field.choices),
                address=field.address,
            )
            for field in kind.fields
        ],
        options=[_option(one) for one in kind.all_options()],
        limits=[limit(one) for one in kind.limits],
        carries=sorted(kind.carries),
        abilities=kind.abilities(),
        limitations=list(kind.limitations),
        once=kind.once,
    )


def _option(option: Option) -> schemas.OptionOut:
    return schemas.OptionOut(
        name=option.name, label=option.label, help=option.help, default=option.default, choices=list(option.choices)
    )


def limit(one: Limit) -> schemas.LimitOut:
    return schemas.LimitOut(part=one.part, most=one.most, unit=one.unit)


def key(row: ApiKey, limits: dict[str, int]) -> schemas.MeOut:
    return schemas.MeOut.model_construct(
        id=row.id,
        name=row.name,
        prefix=row.prefix,
        scopes=row.scopes,
        limits=schemas.RatesOut(**limits),
        created_at=row.created_at,
        last_used_at=row.last_used_at,
        expires_at=row.expires_at,
    )
