"""Links to profiles elsewhere, in the footer of the blog and on the pages of authors, and the rules about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, Self

from blogsvc.errors import Fault
from blogsvc.lib.text.plain import in_one_line
from blogsvc.models.navigation import MAX_LABEL_LENGTH
from blogsvc.posts.rules import Wrong, wrong_line, wrong_value


class ProfileLink(NamedTuple):
    """A link to a profile. `is_me` says that the profile is that of the blog or its author."""

    label: str
    url: str
    is_me: bool

    @classmethod
    def cleaned(cls, fields: Mapping[str, Any]) -> Self:
        """Return the link with these fields as it is stored."""
        return cls(in_one_line(fields["label"]), fields["url"].strip(), bool(fields["is_me"]))


def link_faults(links: Iterable[ProfileLink], at: str) -> Iterator[Fault]:
    """Yield what is wrong with each link; `at` is the pointer of their list."""
    for number, link in enumerate(links):
        if wrong := wrong_label(link.label):
            yield replace(wrong, pointer=f"{at}/{number}/label")
        if wrong := wrong_value("canonical_url", link.url):
            yield replace(wrong, pointer=f"{at}/{number}/url")


def wrong_label(label: str) -> Wrong:
    """Return what is wrong with the text of a link."""
    if not label:
        return Fault("#", "required", f"Enter a label of 1 to {MAX_LABEL_LENGTH} characters.")
    return wrong_line(label, MAX_LABEL_LENGTH, f"A label can have at most {MAX_LABEL_LENGTH} characters.")
