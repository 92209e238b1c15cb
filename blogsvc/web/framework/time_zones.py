"""The time zones that a form offers."""

from __future__ import annotations

from wtforms import Form, SelectField

from blogsvc import context
from blogsvc.lib.time import utc_offset, zone_names


def zones(_form: Form, field: SelectField) -> dict[str, dict[str, str]]:
    """Return the time zones by continent: {"Europe": {"Europe/Berlin": "Berlin (UTC+1)", ...}, ...}.

    Adds the current value if it is a valid but outdated name, which is not in the list.
    """
    now = context.now()
    by_continent: dict[str, dict[str, str]] = {}
    for name in zone_names():
        continent, _, place = name.partition("/")
        label = f"{place.replace('_', ' ').replace('/', ', ')} ({utc_offset(now, name)})" if place else name
        by_continent.setdefault(continent if place else "Other", {})[name] = label
    if field.data and field.data not in zone_names():
        by_continent["Other"][field.data] = field.data
    return by_continent
