"""What is played to make the examples of the API: each request once, with its title, in the order of a story.

An example of another operation is one more line, in the function of its noun. See docs/testing.md.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from io import BytesIO
from typing import Any

from PIL import Image

from blogsvc.models import Delivery, transaction
from docs.recording import Play

INK = "Iron gall ink goes on *pale* and turns black within a day.\n\n- oak galls\n- iron sulphate\n- gum arabic\n"


def posts(play: Play) -> None:
    play.connect("letters", "https://letters.example.org/in")
    draft = play("A draft", "POST", "/posts", {"title": "Iron gall ink", "content": INK, "tags": ["ink", "recipes"]})
    berlin = {"localTime": "2026-12-01T09:00", "timeZone": "Europe/Berlin"}
    words = {"title": "Ruling pens", "content": "Two blades and a screw.", "platforms": ["site", "letters"]}
    timed = play("For a Tuesday at nine in Berlin", "POST", "/posts", words | {"schedule": berlin})
    play(
        "For an instant",
        "POST",
        "/posts",
        {"title": "Gold leaf", "content": "…", "scheduledAt": "2027-01-06T08:00:00Z"},
    )
    play("Everything that is wrong is said at once", "POST", "/posts", {"titel": "Ink", "platforms": ["fax"]})

    path, other = f"/posts/{draft['id']}", f"/posts/{timed['id']}"
    once = {"Idempotency-Key": "a7c9e5f0-ruling-pens"}
    play("Sent for the first time", "POST", "/posts", {"title": "Quills"}, headers=once)
    play("Sent again, since its answer was lost", "POST", "/posts", {"title": "Quills"}, headers=once)
    play("The same key for something else", "POST", "/posts", {"title": "Reeds"}, headers=once)

    play("The newest, two at a time", "GET", "/posts?limit=2")
    play("Found by its words", "GET", "/posts?q=%22oak%20galls%22%20-gold&fields=id,title")
    play(
        "What is planned, by its time, without its text",
        "GET",
        "/posts?status=scheduled&sort=scheduledAt&fields=id,title,scheduledAt",
    )
    play("A post", "GET", path)
    tag = play.ask("GET", path).headers["ETag"]
    play("It is what it was", "GET", path, headers={"If-None-Match": tag})

    play("Other words, if nobody else changed it", "PUT", path, {"summary": "A recipe."}, headers={"If-Match": tag})
    play("Somebody else did", "PUT", path, {"summary": "Another."}, headers={"If-Match": tag})
    play("One field", "PATCH", path, {"tags": ["ink"]})
    play("Another time", "PATCH", other, {"scheduledAt": "2026-12-02T08:00:00Z"})
    play("Back to a draft", "PATCH", other, {"scheduledAt": None})

    play("What each place would get, as it stands", "GET", f"{path}/preview?platform=site,letters")
    play("What each place would be sent", "POST", f"{path}/publish?dryRun=true", {"platforms": ["site", "letters"]})
    play("At once, everywhere it is meant for", "POST", f"{path}/publish")
    play("And wait for the outcome", "POST", f"{path}/publish", headers={"Prefer": "wait=10"})
    play("Here and there", "POST", f"{other}/publish", {"platforms": ["site", "letters"]})
    play.tick()
    play("Where it went", "GET", f"{other}/deliveries")
    play("Is it as it was sent, there?", "POST", f"{other}/verify")
    play("Its story", "GET", f"{other}/events")
    play("A change, and every copy with it", "PATCH", other, {"content": "Two blades, and a screw.", "publish": True})
    play.tick()
    play("How it did", "GET", f"{other}/analytics")
    play("What is published cannot be given a time", "PATCH", other, {"scheduledAt": "2026-12-03T08:00:00Z"})
    play("Down again", "POST", f"{other}/unpublish")
    play("With its copies", "DELETE", f"{other}?withdraw=true")
    play("To the trash", "DELETE", path)
    play("Out of the trash", "POST", f"{path}/restore")
    play("Another like it", "POST", f"{path}/duplicate")
    play("As it once stood", "GET", f"{path}/revisions")
    play("The first words", "GET", f"{path}/revisions/1")
    play("Back to them", "POST", f"{path}/revisions/1/restore")
    several = [
        {"operation": "create", "post": {"title": "Vellum", "content": "Calf."}},
        {"operation": "update", "id": draft["id"], "post": {"tags": ["ink", "history"]}},
        {"operation": "publish", "id": "post_01jd8qk0000000000000000000"},
    ]
    play("Several at once, each with its own result", "POST", "/posts/bulk", {"operations": several})
    play("Erased for good", "DELETE", f"{other}?permanent=true")
    play("Nothing there", "GET", "/posts/post_01jd8qk0000000000000000000")


def deliveries(play: Play) -> None:
    play.connect("gazette", "https://gazette.example.org/in")

    def sent() -> str:
        post = play.ask(
            "POST", "/posts", {"title": "A letter", "content": "Dear reader.", "platforms": ["gazette"]}
        ).json
        delivery = play.ask("POST", f"/posts/{post['id']}/publish").json["deliveries"][0]
        return f"/deliveries/{delivery['id']}"

    failing = sent()
    play.outside.always(status=503, headers={"Retry-After": "600"})
    play.tick()
    play.outside.always()
    play("It failed for now, and will be tried again", "GET", failing)
    play("Try it now", "POST", f"{failing}/retry")
    play.tick()
    play("What is done is not done again", "POST", f"{failing}/retry")
    play("Take this copy down", "POST", f"{failing}/withdraw")

    unwanted = sent()
    play.outside.always(status=422)
    play.tick()
    play.outside.always()
    play("It failed, and shall not be there", "POST", f"{unwanted}/leave")

    for title, answer in (
        ("The copy is there", {"outcome": "delivered", "url": "https://gazette.example.org/7"}),
        ("It is not: send it again", {"outcome": "retry"}),
    ):
        path = sent()
        play.do(lambda path=path: _lose(path, play))
        play(title, "POST", f"{path}/resolve", answer)


def _lose(path: str, play: Play) -> None:
    """A delivery that was sent, and whose answer never came."""
    now = play.tools.now()
    with transaction():
        delivery = Delivery.get(path.rpartition("/")[2])
        delivery.choose(now)
        delivery.claim(now, timedelta(seconds=30))
        delivery.postpone("uncertain", None, "no_answer", "It was sent, and no answer came.", now)


def events(play: Play) -> None:
    listed = play("What happened, from the beginning", "GET", "/events?limit=3")
    last = listed["data"][-1]["id"]
    play("What happened since, of some kinds", "GET", f"/events?after={last}&type=post.published,post.failed&limit=2")
    play("Told as it happens", "GET", "/events/stream", headers={"Last-Event-ID": last}, chunks=1)


def subscribers(play: Play) -> None:
    play.outside.teach("POST", "https://watch.example.org/blog", status=204)
    wish = {"url": "https://watch.example.org/blog", "events": ["post.*", "delivery.failed"], "description": "Chat"}
    path = f"/webhooks/{play('Be told of posts, and of what fails', 'POST', '/webhooks', wish)['id']}"
    play("All of them", "GET", "/webhooks")
    play("One of them", "GET", path)
    play("Other events", "PATCH", path, {"events": ["post.published"]})
    play("A new secret", "POST", f"{path}/rotate-secret", {"overlapHours": 24})
    sent = play("Is anybody there", "POST", f"{path}/test")
    play.tick()
    play("What was sent", "GET", f"{path}/deliveries")
    play("One message, with its attempts", "GET", f"{path}/deliveries/{sent['id']}")
    play("The same again", "POST", f"{path}/deliveries/{sent['id']}/redeliver")
    play("Told no more", "DELETE", path)


def media(play: Play) -> None:
    form = {"file": (BytesIO(_picture()), "ferry.png"), "alt": "A ferry in fog"}
    path = f"/media/{play('A picture, and what it shows', 'POST', '/media', data=form)['id']}"
    play("All pictures", "GET", "/media")
    play("One picture", "GET", path)
    play("Other words for who cannot see it", "PATCH", path, {"alt": "A ferry leaves in fog"})
    play("Gone", "DELETE", path)


def _picture() -> bytes:
    """A PNG of one grey field."""
    out = BytesIO()
    Image.new("RGB", (640, 400), "#9aa3ad").save(out, "PNG")
    return out.getvalue()


def figures(play: Play) -> None:
    for _ in range(3):
        play.do(lambda: play.client.get("/iron-gall-ink", headers={"Referer": "https://news.example.net/"}).close())
    play.time.passes(hours=1)
    play("The last 30 days", "GET", "/analytics")
    play(
        "Views of a week, by platform", "GET", "/analytics?from=2026-11-18&to=2026-11-24&metric=views&groupBy=platform"
    )
    play("A span without an end is refused", "GET", "/analytics?from=2026-12-24")


def keys(play: Play) -> None:
    play("The key that is asking", "GET", "/me")
    wish = {"name": "a phone", "scopes": ["posts:read", "posts:write"], "limits": {"read": 100}}
    path = f"/keys/{play('A key for drafts, with fewer calls', 'POST', '/keys', wish)['id']}"
    play("All keys", "GET", "/keys?limit=2")
    play("One key", "GET", path)
    play("Until the end of the year", "PATCH", path, {"expiresAt": "2026-12-31T23:00:00Z"})
    play("A new text, and a day for the old one", "POST", f"{path}/rotate", {"overlapHours": 24})
    play("No more", "DELETE", path)
    strong = play.ask("POST", "/keys", {"name": "the owner's", "scopes": ["all"]}).json["id"]
    maker = play.new_key("keys:write", read=5)
    _with_key(play, maker, "A key that gives what it lacks", "POST", "/keys", {"name": "more", "scopes": ["all"]})
    peer = play.ask("POST", "/keys", {"name": "a peer", "scopes": ["keys:write"]}).json["id"]
    _with_key(play, maker, "A key that touches one with higher limits", "DELETE", f"/keys/{peer}")
    play.ask("DELETE", f"/keys/{strong}")


def platforms(play: Play) -> None:
    address = "https://bulletin.example.org/in"
    play.outside.teach("POST", address, status=200)
    wish = {"connector": "webhook", "name": "bulletin", "settings": {"url": address}}
    play("An account, once it answers", "POST", "/platforms", wish)
    play("What is connected, and what can be", "GET", "/platforms")
    play("One of them", "GET", "/platforms/bulletin")
    play("Another name, while no post knows it", "PATCH", "/platforms/bulletin", {"name": "notices"})
    play("Does it work", "POST", "/platforms/notices/verify")
    play.outside.always(status=401)
    play("A setting that its platform refuses", "POST", "/platforms", wish)
    play("It refuses us now", "POST", "/platforms/notices/verify")
    play.outside.always(status=503, headers={"Retry-After": "120"})
    play("It is down", "POST", "/platforms", wish)
    play.outside.always()
    play("Forget it", "DELETE", "/platforms/notices")


def problems(play: Play) -> None:
    """One of each kind that the others have not met; the last of them break the instance."""
    play("A misspelt path", "GET", "/post")
    play("A method that is not there", "PUT", "/posts", {})
    play("A key that is none", "GET", "/me", headers={"Authorization": "Bearer bsk_mistyped"})
    play("Half a document", "POST", "/posts", data='{"title": "Ink', headers={"Content-Type": "application/json"})
    play("A form", "POST", "/posts", data="title=Ink", headers={"Content-Type": "application/x-www-form-urlencoded"})
    play("More than 2 MiB", "POST", "/posts", data=" " * (2**21 + 1), headers={"Content-Type": "application/json"})
    play("A page is wanted", "GET", "/posts", headers={"Accept": "text/html"})
    play("Plain HTTP from afar", "GET", "/me", environ_base={"REMOTE_ADDR": "198.51.100.7"})
    _with_key(play, play.new_key("posts:read"), "A key that may only read", "POST", "/posts", {"title": "Ink"})
    hurried = play.new_key(read=1)
    while play.ask("GET", "/me", headers={"Authorization": f"Bearer {hurried}"}).status_code == 200:
        pass
    _with_key(play, hurried, "One call too many", "GET", "/me")
    with play.at_work_on("b1-in-progress"):
        play(
            "The first one is still at work",
            "POST",
            "/posts",
            {"title": "Ink"},
            headers={"Idempotency-Key": "b1-in-progress"},
        )
    with play.beside() as other:
        other.execute("BEGIN IMMEDIATE")
        play("While another process writes", "POST", "/posts", {"title": "Ink"})
        other.execute("ROLLBACK")
        other.execute("ALTER TABLE view RENAME TO view_broken")
    play("A table is gone", "GET", "/analytics")


def _with_key(play: Play, key: str, *request: Any) -> None:
    usual, play.key = play.key, key
    play(*request)
    play.key = usual


PLAYS: tuple[Callable[[Play], None], ...] = (
    posts,
    deliveries,
    figures,
    subscribers,
    media,
    events,
    keys,
    platforms,
    problems,
)
# Kinds of problems that nothing which is played can meet, and why.
UNMET = {
    "outcome-unknown": "SQLite is never lost while it saves",
}
