"""What all platforms by hand share. A platform is a class with attributes in `platforms.py`, without code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any, ClassVar, Literal
from urllib.parse import quote, urlsplit

from blogsvc.connectors._kit import portable
from blogsvc.connectors._kit.announcements import Allowance, announcement
from blogsvc.connectors._kit.portable import html_warnings
from blogsvc.connectors.base import (
    Account,
    Article,
    Connector,
    Disconnected,
    Field,
    HandOver,
    Payload,
    Rejected,
    by_part,
    web_url,
)
from blogsvc.lib.text.length import Unit, length, length_with_links
from blogsvc.lib.text.plain_paragraphs import paragraphs

# article: a title and the whole text. text: one short text with a link. link: a title and a link.
TextForm = Literal["article", "text", "link"]
SHOWS: dict[TextForm, tuple[tuple[str, Any], ...]] = {
    "article": (("title", "title"), ("html", "html")),
    "text": (("text", "text"),),
    "link": (("title", "title"), ("link", "link")),
}
CARRIES: dict[TextForm, frozenset[str]] = {
    "article": frozenset({"title", "tags", "images", "canonical_url"}),
    "text": frozenset({"title", "summary", "tags", "canonical_url"}),
    "link": frozenset({"title", "canonical_url"}),
}


# The Markdown that is copied: everything but HTML, of which nobody knows what an editor does with it.
MARKDOWN: tuple[portable.Part, ...] = (
    "tables",
    "footnotes",
    "tasks",
    "alerts",
    "strikethrough",
    "breaks",
    "embeds",
)


@dataclass
class ByHand(Connector):
    """A platform that a person posts to. It needs no account, and nothing is sent."""

    # The form of the text, and what a copy is called on the platform.
    form: ClassVar[TextForm]
    noun: ClassVar[str] = "post"
    # Why there is no connector: one sentence.
    why: ClassVar[str]
    # The address of the editor. {title}, {text} and {link} are replaced.
    editor: ClassVar[str]
    # A page that imports a post from its link, if the platform has one.
    importer: ClassVar[str] = ""
    # What to do in the editor, and how to delete a copy: the second sentence is `how_to_delete`.
    finish: ClassVar[str]
    how_to_delete: ClassVar[str] = "Open its menu, then choose Delete."
    removal: ClassVar[tuple[str, ...]]
    # The hosts of copies, and the beginning of the link of one. Without hosts, it is any website with an editor.
    hosts: ClassVar[tuple[str, ...]]
    link_example: ClassVar[str]
    # What a link in the text counts, if that is not its length; the number of hashtags.
    link_cost: ClassVar[int | None] = None
    max_hashtags: ClassVar[int] = 5
    # How long an address that browsers and platforms accept can be, in characters. A longer one opens the editor empty.
    longest_address: ClassVar[int] = 6000

    repeatable = frozenset({"create", "update", "delete"})
    once = "A person posts the copy, and confirms it with its link."

    def __init_subclass__(cls) -> None:
        cls.category = "article" if cls.form == "article" else "announcement"
        cls.accepts = "html" if cls.form == "article" else "text"
        cls.shows, cls.carries = SHOWS[cls.form], CARRIES[cls.form]
        place = f" to {cls.label}" if cls.hosts else ""
        cls.removal = (f"Open the {cls.noun}. You need to be signed in{place}.", cls.how_to_delete)
        cls.limitations = (f"{cls.why} blogsvc prepares the text and reminds you; you post it and enter the link.",)
        cls.fields = (
            Field(
                "editor",
                "Address of the editor",
                help="{title}, {text} and {link} are replaced by those of the post.",
                required=not cls.editor,
                default=cls.editor,
            ),
        )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.hosts and (host := _host(self.editor_address())):
            object.__setattr__(self, "label", host)  # any website is named by its host

    def verify(self) -> Account:
        if web_url(self._filled(lambda _name: "")) is None:
            raise Disconnected("This address must start with https://", field="editor")
        return Account("by hand" if self.hosts else self.label)

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        match self.form:
            case "article":
                return self._compose_article(article)
            case "text":
                return self._compose_text(article)
        return self._compose_link(article)

    def _compose_article(self, article: Article) -> Payload:
        # Spaces at the beginning make a block of code.
        text = article.markdown.strip("\n").rstrip()
        html, markdown = portable.html(article.html), portable.markdown(text, MARKDOWN, self.label).text
        link = article.canonical_url
        if link and not article.is_own:
            host = urlsplit(link).netloc
            html += f'\n<p><em>First published at <a href="{escape(link)}">{escape(host)}</a>.</em></p>'
            markdown += f"\n\n*First published at [{host}](<{link}>).*"
        limits = by_part(self.limits)
        max_tags = limits["tags"].most if "tags" in limits else len(article.tags)
        body = {
            "title": article.title,
            "html": html,
            "markdown": markdown,
            "tags": list(article.tags[:max_tags]),
            "link": link,
            "images": [{"url": image.url, "alt": image.alt} for image in article.images],
        }
        dropped = len(article.tags) - max_tags
        tags = [f"Tags left out because of the {self.label} limit: {dropped}."] if dropped > 0 else []
        return Payload(body, (*self._title_warnings(article.title), *tags, *html_warnings(article.html, self.label)))

    def _compose_text(self, article: Article) -> Payload:
        limit = by_part(self.limits)["text"]
        room = Allowance(limit.most, limit.unit, self.link_cost, self.max_hashtags, mentions="names")
        said = announcement(article, room, self.label)
        body = {"text": said.text, "link": article.canonical_url}
        return Payload(body, said.warnings, said.length, said.editable)

    def _compose_link(self, article: Article) -> Payload:
        if not article.canonical_url:
            raise Rejected(
                f"A post on {self.label} needs a link. Publish the post on this blog, too, or enter its original link."
            )
        body = {"title": article.title.strip(), "link": article.canonical_url}
        return Payload(body, self._title_warnings(body["title"]))

    def _title_warnings(self, title: str) -> tuple[str, ...]:
        limit = by_part(self.limits).get("title")
        if limit is None or (over := length(title, limit.unit) - limit.most) <= 0:
            return ()
        return (f"The title is {over} over the {self.label} limit of {limit.most}. Shorten it when you post it.",)

    def length_of(self, text: str, unit: Unit) -> int:
        """Return the length of a text as the platform counts it: all links in it count the same, if it says so."""
        return length_with_links(text, unit, self.link_cost)

    def hand_over(self, payload: Payload) -> HandOver:
        body = payload.body
        html = body.get("html", "")
        text = body.get("text") or paragraphs(html)
        title, link = body.get("title", ""), body.get("link") or ""
        values = {"title": title, "text": text, "link": link}
        return HandOver(
            title=title,
            text=text,
            markdown=body.get("markdown", ""),
            html=html,
            link=link,
            tags=tuple(body.get("tags", ())),
            images=tuple((image["url"], image["alt"]) for image in body.get("images", ())),
            editor_url=self._filled(values.__getitem__),
        )

    def _filled(self, value_of: Any) -> str:
        """Return the address of the editor with values, or without them if it would be too long."""
        address = bare = self.editor_address()
        for name in ("title", "text", "link"):
            bare = bare.replace(f"{{{name}}}", "")
            address = address.replace(f"{{{name}}}", quote(value_of(name), safe=""))
        return address if len(address) <= self.longest_address else bare

    def editor_address(self) -> str:
        """Return the address of the editor: the person's own, or that of the platform."""
        return self.settings.get("editor", "").strip() or self.editor

    def is_link_here(self, url: str) -> bool:
        """Return True if a link is on a host of this platform, or on one of the person's own editor."""
        host = _host(url)
        hosts = filter(None, (*self.hosts, _host(self.editor_address())))
        return any(host == one or host.endswith(f".{one}") for one in hosts)


def _host(url: str) -> str:
    """Return the host of a link, "" if it has none. Browsers end the host at a backslash, and `urlsplit` does not."""
    return "" if web_url(url) is None or "\\" in url else urlsplit(url).hostname or ""
