"""What an author can choose for a post on Ghost: the newsletter, the author, and whether it is featured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from blogsvc.connectors._kit.untrusted_json import count, part, text
from blogsvc.connectors.base import Option

# The prefixes of facts: the members of a newsletter, and the name of an author, each by its slug.
NEWSLETTER, AUTHOR = "newsletter:", "author:"
OPTIONS = (
    Option(
        "newsletter",
        "Send as newsletter",
        help="The newsletter in Ghost, by its slug, such as default-newsletter. Without one, no e-mail is sent."
        " The newsletter is sent once, when the post is first published on Ghost.",
    ),
    Option(
        "author",
        "Author",
        help="The author in Ghost, by slug. Without one, a new copy has the owner of the site, and an update keeps"
        " the author.",
    ),
    Option("featured", "Featured", choices=("no", "yes"), default="no", help="Themes show featured posts first."),
)


def newsletter_facts(newsletters: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Return the number of members of each newsletter."""
    counted = {text(one, "slug"): count(part(one, "count"), "active_members") for one in newsletters}
    return {f"{NEWSLETTER}{slug}": members or 0 for slug, members in counted.items() if slug}


def author_facts(users: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return the name of each author."""
    return {f"{AUTHOR}{slug}": text(one, "name") or slug for one in users if (slug := text(one, "slug"))}


def options_of_site(facts: Mapping[str, Any]) -> tuple[Option, ...]:
    """Return the options with the newsletters and authors of a site as choices, the first of which is none."""

    def of_site(option: Option) -> Option:
        prefix = {"newsletter": NEWSLETTER, "author": AUTHOR}.get(option.name)
        slugs = [name.removeprefix(prefix) for name in facts if prefix and name.startswith(prefix)]
        labels = {slug: str(facts[f"{AUTHOR}{slug}"]) for slug in slugs} if option.name == "author" else {}
        return replace(option, choices=("", *slugs), choice_labels=labels) if slugs else option

    return tuple(map(of_site, OPTIONS))


def newsletter_of(options: Mapping[str, str]) -> str:
    return options.get("newsletter", "").strip()


def members_of(facts: Mapping[str, Any], options: Mapping[str, str]) -> int | None:
    """Return how many members get the newsletter, None if there is none or their number is not known."""
    return count(facts, f"{NEWSLETTER}{newsletter_of(options)}")


def fields_of(options: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of a post for what its author chose."""
    author = options.get("author", "").strip()
    return {"featured": options.get("featured") == "yes"} | ({"authors": [{"slug": author}]} if author else {})
