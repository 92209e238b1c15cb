"""Checks before publishing: what would be sent to each destination, and what the author should fix first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal
from urllib.parse import urlsplit

from blogsvc.connections.aliases import without_aliases
from blogsvc.connections.waiting import KnownDestinations
from blogsvc.connectors.base import Article, Broken, Connector, Disconnected, Misconfigured, Option, TextTooLong
from blogsvc.connectors.site import SiteConnector
from blogsvc.connectors.types import Category
from blogsvc.context import Tools
from blogsvc.delivery.article import article
from blogsvc.delivery.mailing import RepeatedMail
from blogsvc.delivery.post_checks import PostCheck, post_checks, without_alt
from blogsvc.delivery.preview import DestinationPreview, previews
from blogsvc.delivery.status import account_of, known_as, label_of
from blogsvc.errors import Fault, TextRefused
from blogsvc.lib.text.facts import reading_minutes
from blogsvc.lib.text.length import unit_name
from blogsvc.lib.text.plain import plain
from blogsvc.models import SITE, Connection, Delivery, Post, Revision, User, transaction

Remedy = Literal["edit", "connect", "reconnect"]
Operation = Literal["create", "update", "none"]
BY_HAND = "By hand. The text is ready for you"
DISCONNECTED = "Disconnected. Published when you reconnect."
CONTENT_KINDS = {
    "article": "Full text",
    "announcement": "Announcement",
    "newsletter": "Newsletter",
    "file": "File",
    "event": "Message to a server",
}


@dataclass(frozen=True)
class OptionChoice:
    """An option of a connector, and the value chosen for this post."""

    option: Option
    value: str

    @property
    def is_unusual(self) -> bool:
        return self.value != self.option.default


@dataclass(frozen=True)
class AnnouncementText:
    """The text of an announcement, which the author can change.

    `count` is its length and the limit, such as "488 of 500 characters", "" if it can't be counted.
    """

    text: str
    count: str = ""


@dataclass(frozen=True)
class DestinationCheck:
    """A destination, as the publish dialog shows it. `line` is its most important fact.

    `problem` says why the post cannot be sent there now, and `remedy` how to fix that: edit the post, or connect or
    reconnect the account, for which the delivery waits. `cause` is the error of a disconnected account. In short
    places, its name is `short_label`. If `is_ready`, the copy waits for a person now.
    """

    name: str
    label: str
    short_label: str
    account: str
    operation: Operation
    is_wanted: bool
    line: str
    warnings: tuple[str, ...] = ()
    problem: str | None = None
    remedy: Remedy | None = None
    cause: str = ""
    asked: tuple[OptionChoice, ...] = ()
    is_by_hand: bool = False
    is_ready: bool = False
    repeated_mail: RepeatedMail | None = None
    announcement: AnnouncementText | None = None
    category: Category = "article"

    @property
    def has_article_text(self) -> bool:
        """Return True if the destination gets the text of the post, which can be changed for it."""
        return self.category in ("article", "newsletter", "file") and self.name != SITE and self.operation != "none"

    @property
    def waits(self) -> bool:
        """Return True if the delivery would wait until the account is connected."""
        return self.remedy in ("connect", "reconnect")

    @property
    def waits_for(self) -> Literal["", "account", "hand"]:
        """Return what the delivery would wait for: an account, or a person who posts it."""
        if self.waits:
            return "account"
        return "hand" if self.is_by_hand else ""

    @property
    def is_open(self) -> bool:
        """Return True if the destination can be chosen, because there is a change to send."""
        return self.remedy != "edit" and self.operation != "none"

    @property
    def has_wrong_text(self) -> bool:
        """Return True if the destination can be chosen as soon as the author changes the text of the announcement."""
        return self.remedy == "edit" and self.operation != "none" and self.announcement is not None

    @property
    def is_ticked(self) -> bool:
        return self.is_wanted and self.is_open


@dataclass(frozen=True)
class Preflight:
    destinations: tuple[DestinationCheck, ...]
    checks: tuple[PostCheck, ...]
    word_count: int
    minutes: int

    @property
    def has_work(self) -> bool:
        """Return True if there is something to publish, now or after a text is changed."""
        return any(one.is_open or one.has_wrong_text for one in self.destinations)

    @property
    def is_blocked(self) -> bool:
        return any(check.is_blocking for check in self.checks)

    def without_block(self, code: str) -> Preflight:
        """Return the checks after the author has accepted a finding about the text."""
        checks = tuple(replace(one, is_blocking=one.is_blocking and one.code != code) for one in self.checks)
        return replace(self, checks=checks)


def preflight(
    post: Post,
    tools: Tools,
    overrides: Mapping[str, Any] | None = None,
    only: Iterable[str] | None = None,
    ticked: Collection[str] | None = None,
) -> Preflight:
    """Check a post for every destination. Those of the post are selected: at first, the default destinations.

    Args:
        overrides: replace those of the post.
        only: the destinations to check.
        ticked: the destinations that are selected; by default, as at first.
    """
    known = KnownDestinations()
    selected = _initial_selection(post)
    unsaved = {"overrides": dict(post.overrides if overrides is None else overrides)}
    revision, home = Revision.of(post.id, 0, post.fields() | unsaved, "preview", tools.now()), tools.config.public_url
    minutes = reading_minutes(post.word_count)
    try:
        seen = article(post, revision, SITE, home)
    except TextRefused as error:
        return Preflight((), (PostCheck("too_costly", str(error), is_blocking=True),), post.word_count, minutes)
    names = offered_names(post.platforms, known.connections)
    destinations = tuple(
        _destination_check(post, revision, seen, trial, known, home, trial.platform in selected)
        for trial in previews(post, [name for name in names if only is None or name in only], tools, unsaved)
    )
    own = {name: own for name, own in revision.overrides.items() if name in (selected if ticked is None else ticked)}
    checks = tuple(post_checks(post, seen, plain(seen.html), own, home))
    return Preflight(destinations, checks, post.word_count, minutes)


def last_used(user: User) -> list[str]:
    """Return the destinations of the last post that this user published."""
    return without_aliases(user.preferences.get("last_platforms") or [])


def remember(user: User, platforms: Collection[str]) -> None:
    """Store the destinations of the post that this user publishes, to offer them for the next one."""
    with transaction():
        user.preferences = {**user.preferences, "last_platforms": list(platforms)}


def _initial_selection(post: Post) -> Collection[str]:
    """Return the destinations to select: the copies of a live post, else the destinations of the post."""
    if post.is_live:
        return {delivery.destination for delivery in post.deliveries if delivery.revision_id is not None}
    return post.platforms


def _destination_check(
    post: Post,
    revision: Revision,
    seen: Article,
    trial: DestinationPreview,
    known: KnownDestinations,
    public_url: str,
    is_wanted: bool,
) -> DestinationCheck:
    connection = known.connections.get(trial.platform)
    kind = SiteConnector if trial.platform == SITE else known.connector_of(trial.platform) or Connector
    own = revision.overrides.get(trial.platform) or {}
    chosen_options = own.get("options") or {}
    problem, remedy, cause = _problem(trial, connection)
    if known.connected_by_post(trial.platform) is not None:
        problem, remedy = None, None
    copy = post.delivery_to(trial.platform)
    ready = copy if copy is not None and copy.state == "awaiting_hand" else None
    is_in_step = ready and ready.revision_id == post.live_revision_id and not post.has_unpublished_changes
    named = known_as(trial.platform, connection, public_url)
    options = kind.options_for(connection.facts if connection else {})
    return DestinationCheck(
        name=trial.platform,
        label=named.label,
        short_label=label_of(trial.platform, connection),
        account=named.account,
        operation="none" if is_in_step else trial.operation,
        is_wanted=is_wanted,
        line=problem or (_ready(ready) if ready else _line(trial, kind, seen, post)),
        warnings=trial.payload.warnings if trial.payload else (),
        problem=problem,
        remedy=remedy,
        cause=cause,
        is_by_hand=kind.can("hand_over"),
        is_ready=ready is not None,
        asked=tuple(OptionChoice(option, chosen_options.get(option.name, option.default)) for option in options),
        repeated_mail=trial.repeated_mail,
        announcement=_announcement(trial, kind, (own.get("content") or "").strip()),
        category=kind.category,
    )


def offered_names(chosen: Collection[str], connections: Mapping[str, Connection]) -> list[str]:
    """Return the destinations that a post can choose from: this blog, all accounts, and what it has chosen already."""
    return list(dict.fromkeys([SITE, *connections, *chosen]))


def _problem(trial: DestinationPreview, connection: Connection | None) -> tuple[str | None, Remedy | None, str]:
    """Return the problem, its remedy and its cause."""
    if connection is None and trial.platform != SITE:
        return f"Waiting for {account_of(trial.label or trial.platform)}.", "connect", ""
    if connection is not None and connection.health == "disconnected":
        return DISCONNECTED, "reconnect", connection.last_error or ""
    if isinstance(trial.error, Disconnected):
        return DISCONNECTED, "reconnect", str(trial.error)
    if trial.error is None:
        return None, None, ""
    if isinstance(trial.error, TextTooLong):
        return f"{_too_many(trial.error)} Shorten the text to select {trial.label}.", "edit", ""
    return str(trial.error), "reconnect" if isinstance(trial.error, Misconfigured) else "edit", ""


def _too_many(error: TextTooLong) -> str:
    unit = unit_name(error.unit)
    return f"{error.over:,} {unit if error.over > 1 else unit.removesuffix('s')} too many."


def _announcement(trial: DestinationPreview, kind: type[Connector], own_text: str) -> AnnouncementText | None:
    """Return the text of an announcement, None for an article, or if nothing can be composed."""
    if kind.category == "announcement" and own_text:
        return AnnouncementText(own_text, _count(trial))
    if trial.payload is not None and trial.payload.announcement is not None:
        return AnnouncementText(trial.payload.announcement, _count(trial))
    return None


def _count(trial: DestinationPreview) -> str:
    """Return the length of the text and its limit, "" if they are not known."""
    texts = [limit for limit in trial.limits if limit.part == "text"]
    if isinstance(error := trial.error, TextTooLong):
        return next((f"{one.most + error.over:,} of {one.amount}" for one in texts if one.unit == error.unit), "")
    return f"{trial.length:,} of {texts[0].amount}" if trial.length is not None and texts else ""


def _line(trial: DestinationPreview, kind: type[Connector], seen: Article, post: Post) -> str:
    if trial.operation == "none":
        return "Up to date"
    first = _first_fact(trial, kind, seen, post)
    has_images = "images" in kind.carries and kind.category != "announcement" and seen.images
    return f"{first}{' ' if first.endswith('.') else ', '}{_image_summary(seen)}" if has_images else first


def _first_fact(trial: DestinationPreview, kind: type[Connector], seen: Article, post: Post) -> str:
    if kind.can("hand_over"):
        return f"{BY_HAND} when {'you publish' if post.is_live else 'the post is live'}."
    if count := _count(trial):
        return count
    if trial.platform == SITE:
        summary = f"Public, {post.word_count:,} {'word' if post.word_count == 1 else 'words'}"
        return f"{summary}, original on {urlsplit(post.canonical_url).netloc}" if post.canonical_url else summary
    if kind.category == "article" and "canonical_url" in kind.carries:
        return "Links to the original" if seen.canonical_url else "No link to the original"
    return CONTENT_KINDS[kind.category]


def _ready(copy: Delivery) -> str:
    return "By hand. The copy has to be deleted." if copy.operation == "delete" else f"{BY_HAND}."


def _image_summary(seen: Article) -> str:
    count, without = len(seen.images), without_alt(seen)
    images = "1 image" if count == 1 else f"{count} images"
    return f"{images}, {without} without alt text" if without else f"{images}, all with alt text"


def refusals(trials: Iterable[DestinationPreview]) -> tuple[Fault, ...]:
    """Return a fault for each destination that would reject the post. One without an account refuses nothing."""
    return tuple(
        Fault("#/platforms", "rejected", f"{trial.label}: {trial.error}", platform=trial.platform)
        for trial in trials
        if trial.error is not None and not isinstance(trial.error, Disconnected | Misconfigured | Broken)
    )


def with_choices(
    overrides: Mapping[str, Any], choices: Mapping[str, Mapping[str, Any]], selected: Collection[str]
) -> dict[str, Any]:
    """Return overrides with what the author chose in the publish dialog, by destination: `options` and `content`.

    Options are stored for the selected destinations, unless they have their default. A text is stored for any, and an
    empty one removes that of the overrides.
    """
    known = KnownDestinations()
    changed = dict(overrides)
    for name, choice in choices.items():
        own = dict(overrides.get(name) or {})
        if "content" in choice:
            own["content"] = choice["content"]
        if name in selected:
            options = (own.get("options") or {}) | choice.get("options", {})
            own["options"] = _unusual(options, known.connector_of(name))
        changed[name] = {field: value for field, value in own.items() if value}
    return {name: own for name, own in changed.items() if own}


def _unusual(chosen: Mapping[str, str], kind: type[Connector] | None) -> dict[str, str]:
    """Return the options that differ from their default."""
    defaults = {option.name: option.default for option in kind.all_options()} if kind is not None else {}
    return {option: value for option, value in chosen.items() if value != defaults.get(option)}
