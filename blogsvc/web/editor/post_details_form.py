"""The form of a post's details, with customizations per destination."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any
from unicodedata import normalize

from flask import request
from flask_wtf.file import FileField
from wtforms import BooleanField, SelectField, SelectMultipleField, StringField, TextAreaField
from wtforms.fields.choices import SelectChoice
from wtforms.widgets import CheckboxInput, ListWidget

from blogsvc.connections.waiting import awaited_connector
from blogsvc.connectors import connectors
from blogsvc.connectors.base import Connector, Option, by_part
from blogsvc.connectors.site import SiteConnector
from blogsvc.delivery.preflight import offered_names
from blogsvc.delivery.status import NO_ACCOUNT
from blogsvc.errors import Fault, Invalid
from blogsvc.lib.media_names import keys_in
from blogsvc.lib.text.plain import in_one_line
from blogsvc.lib.text.slug_letters import MAX_SLUG_LENGTH
from blogsvc.models import SITE, Author, Connection, Media, Post, Series
from blogsvc.models.media import known
from blogsvc.models.post_fields import rev_of
from blogsvc.posts.rules import check
from blogsvc.posts.tags import join_tags, split_tags
from blogsvc.web.framework import current_user
from blogsvc.web.framework.forms import Form

PLAIN = (
    "summary", "slug", "canonical_url", "cover_image", "cover_alt", "cover_caption", "language", "kind", "meta_title",
)  # fmt: skip
SWITCHES = ("is_pinned", "is_unlisted")
OWN = ("title", "summary", "content")
MAX_DIGITS = 10
# The choices of an option that is on or off.


@dataclass(frozen=True)
class DestinationFields:
    """A destination with its fields in the form."""

    name: str
    kind: type[Connector] | None
    account: str = ""
    trouble: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        return self.kind.label if self.kind is not None else self.name

    @property
    def options(self) -> tuple[Option, ...]:
        return self.kind.options_for(self.facts) if self.kind is not None else ()

    @property
    def takes_images(self) -> bool:
        """Return True if images can be in the text, which is Markdown. An announcement is used as typed."""
        return self.kind is None or self.kind.category != "announcement"

    @property
    def text_help(self) -> str:
        """Return what the text of this destination is, and its maximum length."""
        bound = by_part(self.kind.limits).get("text") if self.kind is not None else None
        what = "Markdown. Replaces the text of the post." if self.takes_images else "Replaces the announcement."
        return f"{what} At most {bound.amount}." if bound is not None else what


def destinations(post: Post) -> list[DestinationFields]:
    """Return the destinations that the post can choose, including those without an account that it has chosen."""
    known = Connection.by_name()
    return [_fields_of(name, known.get(name)) for name in offered_names(post.platforms, known)]


def _fields_of(name: str, connection: Connection | None) -> DestinationFields:
    if name == SITE:
        return DestinationFields(SITE, SiteConnector)
    if connection is None:
        return DestinationFields(name, awaited_connector(name), NO_ACCOUNT)
    trouble = "Disconnected" if connection.state == "disconnected" else ""
    kind = connectors().get(connection.connector)
    return DestinationFields(name, kind, _account(connection), trouble, connection.facts)


def _account(connection: Connection) -> str:
    is_named_apart = connection.name not in (connection.connector, connection.account)
    return " · ".join(filter(None, (connection.account, connection.name if is_named_apart else "")))


class DetailsForm(Form):
    """The fields that every post has. `form_of` adds the fields of each destination."""

    summary = TextAreaField("Summary")
    slug = StringField("Address")
    tags = StringField("Tags")
    canonical_url = StringField("Original link")
    language = StringField("Language")
    cover_image = StringField("Image URL")
    cover_file = FileField("Upload an image")
    cover_alt = StringField("Alt text of the cover image")
    cover_caption = StringField("Caption of the cover image")
    no_cover = BooleanField("Remove the cover image")
    kind = SelectField("Kind", choices=[SelectChoice("post", "Post"), SelectChoice("page", "Page")])
    authors = SelectMultipleField("Authors", widget=ListWidget(), option_widget=CheckboxInput())
    is_pinned = BooleanField("Pin to the top of the home page")
    is_unlisted = BooleanField("Unlisted: only people who know the address find it")
    meta_title = StringField("Title for search engines")
    series = StringField("Series")
    series_part = StringField("Part")
    platforms = SelectMultipleField("Destinations", widget=ListWidget(), option_widget=CheckboxInput())


def form_of(post: Post, *, as_sent: bool = True) -> DetailsForm:
    """Return the form with the submitted values. Fields that were not submitted have those of the post."""
    fields: dict[str, Any] = {}
    shown = destinations(post)
    data: dict[str, Any] = {name: getattr(post, name) or "" for name in PLAIN}
    data |= {name: getattr(post, name) for name in SWITCHES}
    data |= {"tags": join_tags(post.tags), "platforms": post.platforms, "authors": post.authors}
    data |= {"series": series_title(post.series), "series_part": str(post.series_part or "")}
    for destination in shown:
        own = post.overrides.get(destination.name) or {}
        for name, kind in (("title", StringField), ("summary", TextAreaField), ("content", TextAreaField)):
            fields[own_name(destination, name)] = kind({"content": "Text"}.get(name, name.capitalize()))
            data[own_name(destination, name)] = own.get(name) or ""
        for option in destination.options:
            value = (own.get("options") or {}).get(option.name, option.default)
            fields[option_name(destination, option)] = _option_field(option, value)
            data[option_name(destination, option)] = value
    more = {} if as_sent else {"formdata": None}
    form: DetailsForm = type("AllDetails", (DetailsForm,), fields)(data=data, **more)
    form.authors.choices = [SelectChoice(author.slug, author.name) for author in Author.all()]
    form.platforms.choices = [SelectChoice(destination.name, destination.label) for destination in shown]
    return form


def bring_up_to_date(form: DetailsForm, post: Post, but: Collection[str]) -> None:
    """Update the form with the post's current values, except the fields in `but`, which the user has changed."""
    for name, current in form_of(post, as_sent=False)._fields.items():
        if name.partition("/")[0] not in but:
            form[name].data = current.data


def _option_field(option: Option, value: str) -> SelectField | StringField:
    if option.choices:
        choices = [SelectChoice(choice, option.label_of(choice)) for choice in option.choices_with(value)]
        return SelectField(option.label, choices=choices)
    return StringField(option.label)


def own_name(destination: DestinationFields, name: str) -> str:
    return f"overrides/{destination.name}/{name}"


def option_name(destination: DestinationFields, option: Option) -> str:
    return f"overrides/{destination.name}/options/{option.name}"


def changes(form: DetailsForm, post: Post, rev: str) -> dict[str, Any]:
    """Return the submitted fields, including `platforms`, that differ from the revision `rev` the form was made for.

    Untouched fields are left out, so they do not overwrite other users' changes. Raises Invalid with all
    faults.
    """
    fields, platforms = _submitted_values(form, post)
    if platforms is not None:
        fields["platforms"] = platforms
    sent, seen = SimpleNamespace(**fields), rev.split("-")
    return {name: value for name, value in fields.items() if rev_of(sent, [name]) not in seen}


def _submitted_values(form: DetailsForm, post: Post) -> tuple[dict[str, Any], list[str] | None]:
    sent = request.form
    fields: dict[str, Any] = {name: form[name].data for name in PLAIN if name in sent}
    for name in ("canonical_url", "cover_image", "language"):
        if name in fields:
            fields[name] = fields[name].strip() or None
    if "slug" in fields:
        fields["slug"] = normalize("NFC", fields["slug"].strip()[: 4 * MAX_SLUG_LENGTH])  # it takes quadratic time
    for name in ("cover_alt", "cover_caption", "meta_title"):
        if name in fields:
            fields[name] = in_one_line(fields[name])
    if "asks_switches" in sent:  # those that are off are not sent
        fields |= {name: form[name].data for name in SWITCHES}
    if "asks_authors" in sent and may_name_authors():
        fields["authors"] = _in_order(form.authors.data, post.authors)
    if form.no_cover.data:
        fields["cover_image"] = None
    if "series" in sent:
        fields["series"] = _series(form.series.data, post)
    if "series_part" in sent:
        fields["series_part"] = _number(form.series_part.data)
    if "tags" in sent:
        fields["tags"] = split_tags(form.tags.data)
    fields["overrides"] = _overrides(form, post)
    platforms = list(form.platforms.data) if "asks_platforms" in sent else None
    _check({name: value for name, value in fields.items() if name != "series"}, platforms, post)
    return fields, platforms


def may_name_authors() -> bool:
    """Return True if the user may name other authors than themself."""
    return current_user.user().is_at_least("editor")


def _in_order(slugs: list[str], former: list[str]) -> list[str]:
    """Return the chosen authors: those that the post had in their order, then the new ones."""
    return [*(slug for slug in former if slug in slugs), *(slug for slug in slugs if slug not in former)]


def series_title(slug: str | None) -> str:
    """Return the title of the series with this slug, "" if there is none."""
    series = Series.find(slug) if slug else None
    return series.title if series else ""


def _series(title: str, post: Post) -> str | None:
    """Return the slug of the series with a title, or the title if there is none yet.

    Two series may have the same title: that of the post stays.
    """
    title = in_one_line(title)
    if title == series_title(post.series):
        return post.series
    series = Series.titled(title) if title else None
    return series.slug if series else title or None


def _number(text: str) -> int | None:
    text = text.strip()
    if text and not (text.isdecimal() and len(text) < MAX_DIGITS):
        raise Invalid(Fault("#/series_part", "invalid", "Enter the number of the part, such as 2."))
    return int(text) if text else None


def _overrides(form: DetailsForm, post: Post) -> dict[str, Any]:
    """Return the overrides with the submitted values. Those that the form does not contain stay."""
    overrides = deepcopy(post.overrides)
    for destination in destinations(post):
        own = overrides.get(destination.name) or {}
        for name in OWN:
            if own_name(destination, name) in request.form:
                text = form[own_name(destination, name)].data
                own = {key: value for key, value in own.items() if key != name} | ({name: text} if text.strip() else {})
        own = _with_options(own, form, destination)
        overrides = {key: value for key, value in overrides.items() if key != destination.name} | (
            {destination.name: own} if own else {}
        )
    return overrides


def _with_options(own: dict[str, Any], form: DetailsForm, destination: DestinationFields) -> dict[str, Any]:
    options = dict(own.get("options") or {})
    for option in destination.options:
        if option_name(destination, option) in request.form:
            options[option.name] = form[option_name(destination, option)].data.strip()
            if options[option.name] in ("", option.default):
                del options[option.name]
    return {key: value for key, value in own.items() if key != "options"} | ({"options": options} if options else {})


def _check(fields: dict[str, Any], platforms: list[str] | None, post: Post) -> None:
    try:
        check(fields, platforms, post)
    except Invalid as error:
        raise Invalid(*map(_at_its_field, error.faults)) from error


def _at_its_field(fault: Fault) -> Fault:
    """Return the fault of one of several destinations as that of the field."""
    return replace(fault, pointer="#/platforms") if fault.pointer.startswith("#/platforms/") else fault


def cover_of(post: Post) -> Media | None:
    """Return the cover if it is an uploaded image."""
    return next(iter(known(keys_in(post.cover_image or "")).values()), None)
