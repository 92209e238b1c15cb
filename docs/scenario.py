"""The requests that are recorded as examples of the API, each with its title, in the order in which they are sent.

To add an example of an operation, add a line to the function of its noun. See docs/testing.md.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from io import BytesIO
from typing import Any

from PIL import Image

from blogsvc.connectors.base import Receipt
from blogsvc.models import CopySearch, Delivery, ExtraCopy, transaction
from blogsvc.models.extra_copy import count_extra_copies
from docs.recording import Play

INK = "Iron gall ink goes on *pale* and turns black within a day.\n\n- oak galls\n- iron sulphate\n- gum arabic\n"


def posts(play: Play) -> None:
    play.connect("letters", "https://letters.example.org/in")
    draft = play(
        "Create a draft", "POST", "/posts", {"title": "Iron gall ink", "content": INK, "tags": ["ink", "recipes"]}
    )
    berlin = {"localTime": "2026-12-01T09:00", "timeZone": "Europe/Berlin"}
    words = {"title": "Ruling pens", "content": "Two blades and a screw.", "platforms": ["site", "letters"]}
    timed = play("Schedule a post by local time", "POST", "/posts", words | {"schedule": berlin})
    play(
        "Schedule a post by UTC time",
        "POST",
        "/posts",
        {"title": "Gold leaf", "content": "…", "scheduledAt": "2027-01-06T08:00:00Z"},
    )
    play("Report all invalid fields at once", "POST", "/posts", {"titel": "Ink", "platforms": ["fax"]})

    path, other = f"/posts/{draft['id']}", f"/posts/{timed['id']}"
    once = {"Idempotency-Key": "a7c9e5f0-ruling-pens"}
    play("Send a request with an idempotency key", "POST", "/posts", {"title": "Quills"}, headers=once)
    play("Repeat a request after its response was lost", "POST", "/posts", {"title": "Quills"}, headers=once)
    play("Use the same key for a different request", "POST", "/posts", {"title": "Reeds"}, headers=once)

    play("List the newest posts, two per page", "GET", "/posts?limit=2")
    play("Search for words", "GET", "/posts?q=%22oak%20galls%22%20-gold&fields=id,title")
    play(
        "List scheduled posts by time, without content",
        "GET",
        "/posts?status=scheduled&sort=scheduledAt&fields=id,title,scheduledAt",
    )
    play("Get a post", "GET", path)
    tag = play.ask("GET", path).headers["ETag"]
    play("Get a post that has not changed", "GET", path, headers={"If-None-Match": tag})

    play("Update a post if nobody else changed it", "PUT", path, {"summary": "A recipe."}, headers={"If-Match": tag})
    play("Update a post that somebody else changed", "PUT", path, {"summary": "Another."}, headers={"If-Match": tag})
    play("Update one field", "PATCH", path, {"tags": ["ink"]})
    play("Reschedule a post", "PATCH", other, {"scheduledAt": "2026-12-02T08:00:00Z"})
    play("Unschedule a post", "PATCH", other, {"scheduledAt": None})

    play("Preview each destination", "GET", f"{path}/preview?platform=site,letters")
    play("Do a dry run", "POST", f"{path}/dry-run", {"platforms": ["site", "letters"]})
    play("Publish to all destinations of the post", "POST", f"{path}/publish")
    play("Publish and wait for the result", "POST", f"{path}/publish", headers={"Prefer": "wait=10"})
    play("Publish to the destinations in the request", "POST", f"{other}/publish", {"platforms": ["site", "letters"]})
    play.tick()
    play("List the deliveries of a post", "GET", f"{other}/deliveries")
    play("Check the copies for changes", "POST", f"{other}/verify")
    play("List the events of a post", "GET", f"{other}/events")
    play(
        "Update a post and publish the change", "PATCH", other, {"content": "Two blades, and a screw.", "publish": True}
    )
    play.tick()
    play("Get the figures of a post", "GET", f"{other}/analytics")
    play("Try to schedule a published post", "PATCH", other, {"scheduledAt": "2026-12-03T08:00:00Z"})
    play("Unpublish a post", "POST", f"{other}/unpublish")
    play("Delete a post and its copies", "DELETE", f"{other}?withdraw=true")
    play("Move a post to the trash", "DELETE", path)
    play("Restore a post from the trash", "POST", f"{path}/restore")
    play("Duplicate a post", "POST", f"{path}/duplicate")
    play("List the revisions of a post", "GET", f"{path}/revisions")
    play("Get the first revision", "GET", f"{path}/revisions/1")
    play("Restore a revision", "POST", f"{path}/revisions/1/restore")
    several = [
        {"operation": "create", "post": {"title": "Vellum", "content": "Calf."}},
        {"operation": "update", "id": draft["id"], "post": {"tags": ["ink", "history"]}},
        {"operation": "publish", "id": "post_01jd8qk0000000000000000000"},
    ]
    play("Change several posts in one request", "POST", "/posts/bulk", {"operations": several})
    play("Delete a post permanently", "DELETE", f"{other}?permanent=true")
    play("Get a post that does not exist", "GET", "/posts/post_01jd8qk0000000000000000000")


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
    play("Get a delivery that waits for a retry", "GET", failing)
    play("Retry a delivery now", "POST", f"{failing}/retry")
    play.tick()
    play("Retry a delivery that succeeded", "POST", f"{failing}/retry")
    play("Withdraw a copy", "POST", f"{failing}/withdraw")

    unwanted = sent()
    play.outside.always(status=422)
    play.tick()
    play.outside.always()
    play("Dismiss a failed delivery", "POST", f"{unwanted}/leave")

    twice = sent()
    play.tick()
    play.do(lambda: _duplicate(twice, play))
    play("Remove extra copies", "POST", f"{twice}/remove-extra-copies")

    for title, answer in (
        ("Report that the copy exists", {"outcome": "delivered", "url": "https://gazette.example.org/7"}),
        ("Report that the copy does not exist", {"outcome": "retry"}),
    ):
        path = sent()
        play.do(lambda path=path: _lose(path, play))
        play(title, "POST", f"{path}/resolve", answer)


def _duplicate(path: str, play: Play) -> None:
    """Add an extra copy, as if a request had arrived late."""
    now = play.tools.now()
    with transaction():
        delivery = Delivery.get(path.rpartition("/")[2])
        CopySearch.begin(delivery, now)
        ExtraCopy.record(delivery, Receipt("8", "https://gazette.example.org/8"), now)
        count_extra_copies(delivery)


def _lose(path: str, play: Play) -> None:
    """Make a delivery uncertain: it was sent, but no response arrived."""
    now = play.tools.now()
    with transaction():
        delivery = Delivery.get(path.rpartition("/")[2])
        delivery.choose(now)
        delivery.claim(now, timedelta(seconds=30), "a-process")
        delivery.postpone("uncertain", None, "no_answer", "The platform did not respond.", now)


def tags(play: Play) -> None:
    play("List the most used tags", "GET", "/tags?limit=3")


def events(play: Play) -> None:
    listed = play("List events from the beginning", "GET", "/events?limit=3")
    last = listed["data"][-1]["id"]
    play("List newer events of some types", "GET", f"/events?after={last}&type=post.published,post.failed&limit=2")
    play("Stream events", "GET", "/events/stream", headers={"Last-Event-ID": last}, chunks=1)
    play("Create a ticket for the event stream", "POST", "/events/tickets")


def subscribers(play: Play) -> None:
    play.outside.teach("POST", "https://watch.example.org/blog", status=204)
    wish = {"url": "https://watch.example.org/blog", "events": ["post.*", "delivery.failed"], "description": "Chat"}
    path = f"/webhooks/{play('Create a webhook for posts and failures', 'POST', '/webhooks', wish)['id']}"
    play("List webhooks", "GET", "/webhooks")
    play("Get a webhook", "GET", path)
    play("Change the events of a webhook", "PATCH", path, {"events": ["post.published"]})
    play("Rotate the secret of a webhook", "POST", f"{path}/rotate-secret", {"overlapHours": 24})
    sent = play("Send a test message", "POST", f"{path}/test")
    play.tick()
    play("List the messages of a webhook", "GET", f"{path}/deliveries")
    play("Get a message with its attempts", "GET", f"{path}/deliveries/{sent['id']}")
    play("Redeliver a message", "POST", f"{path}/deliveries/{sent['id']}/redeliver")
    play("Delete a webhook", "DELETE", path)


def authors(play: Play) -> None:
    """Name the people whom readers see as the authors of posts."""
    link = {"label": "Website", "url": "https://bo.example.org/", "isMe": True}
    bo = play("Add a guest author", "POST", "/authors", {"name": "Bo Ek", "bio": "Cuts *quills*.", "links": [link]})
    path = f"/authors/{bo['slug']}"
    play("List authors", "GET", "/authors")
    play("Get an author", "GET", path)
    play("Give an author an account in the fediverse", "PATCH", path, {"fediverse": "bo@mastodon.example.org"})
    play("Refuse a post by an author who does not exist", "POST", "/posts", {"title": "Quills", "authors": ["bo-e"]})
    other = play("Add the same person again", "POST", "/authors", {"name": "B. Ek"})
    play("Merge two authors", "POST", f"/authors/{other['slug']}/merge", {"into": bo["slug"]})
    play("Delete an author", "DELETE", path)


def series(play: Play) -> None:
    """Group posts that readers read one after the other."""
    fields = {"title": "On pens", "description": "From quills to *fountain pens*."}
    path = f"/series/{play('Add a series', 'POST', '/series', fields)['slug']}"
    play("List series", "GET", "/series")
    play("Get a series", "GET", path)
    play("Say that a series is complete", "PATCH", path, {"isComplete": True})
    play("Delete a series", "DELETE", path)


def tag_pages(play: Play) -> None:
    """Say what the page of a tag begins with."""
    page = {"tag": "on/off", "title": "Switches", "description": "All about *switches*."}
    play("Set a tag page", "PUT", "/tag-pages", page)
    play("List tag pages", "GET", "/tag-pages")
    play("Reset a tag page", "DELETE", "/tag-pages?tag=on%2Foff")


def redirects(play: Play) -> None:
    page = {"path": "/blog/ferries", "target": "https://boats.example.org/"}
    path = f"/redirects/{play('Create a redirect to another site', 'POST', '/redirects', page)['id']}"
    play("List redirects", "GET", "/redirects")
    play("Get a redirect", "GET", path)
    play("Redirect all addresses below a path", "PATCH", path, {"path": "/blog/*", "target": "/archive"})
    play("Delete a redirect", "DELETE", path)
    reader = {"User-Agent": "Mozilla/5.0 Firefox/140.0", "Referer": "https://news.example.org/"}
    play.do(lambda: play.client.get("/blog/ferries", headers=reader).close())
    play("List missing addresses", "GET", "/missing-addresses")
    play("Ignore a missing address", "DELETE", "/missing-addresses?path=/blog/ferries")


def blog(play: Play) -> None:
    play("Get the settings of the blog", "GET", "/blog")
    link = {"label": "Mastodon", "url": "https://mastodon.example.org/@ann", "isMe": True}
    play(
        "Change the description and the social links", "PATCH", "/blog", {"description": "Ink.", "socialLinks": [link]}
    )
    play("Get the look", "GET", "/blog/look")
    look = {"color": "#7fff00", "scheme": "auto", "face": "harbour", "width": "normal", "layout": "cards"}
    play("Replace the look", "PUT", "/blog/look", {**look, "css": ".cover img { border-radius: 0 }"})
    play("Get the menus", "GET", "/navigation")
    header = [{"label": "Archive", "to": "archive"}, {"label": "Ink", "to": "tag:ink"}]
    footer = [{"label": "Source", "to": "https://code.example.org/ann"}]
    play("Replace the menus", "PUT", "/navigation", {"header": header, "footer": footer})


def media(play: Play) -> None:
    form = {"file": (BytesIO(_image()), "ferry.png"), "alt": "A ferry in fog"}
    path = f"/media/{play('Upload an image with a text alternative', 'POST', '/media', data=form)['id']}"
    play("List images", "GET", "/media")
    play("Get an image", "GET", path)
    play("Change the text alternative", "PATCH", path, {"alt": "A ferry leaves in fog"})
    play("Delete an image", "DELETE", path)


def _image() -> bytes:
    """Return a gray PNG."""
    out = BytesIO()
    Image.new("RGB", (640, 400), "#9aa3ad").save(out, "PNG")
    return out.getvalue()


def figures(play: Play) -> None:
    for _ in range(3):
        play.do(lambda: play.client.get("/iron-gall-ink", headers={"Referer": "https://news.example.net/"}).close())
    play.time.passes(hours=1)
    play("Get the figures of the last 30 days", "GET", "/analytics")
    play(
        "Get the views of a week by platform",
        "GET",
        "/analytics?from=2026-11-18&to=2026-11-24&metric=views&groupBy=platform",
    )
    play("Ask for a period that starts in the future", "GET", "/analytics?from=2026-12-24")


def keys(play: Play) -> None:
    play("Get the key that sends the request", "GET", "/me")
    wish = {"name": "phone app", "scopes": ["posts:read", "posts:write"], "limits": {"read": 100}}
    path = f"/keys/{play('Create a key for drafts with a lower limit', 'POST', '/keys', wish)['id']}"
    play("List keys", "GET", "/keys?limit=2")
    play("Get a key", "GET", path)
    play("Set the expiry of a key", "PATCH", path, {"expiresAt": "2026-12-31T23:00:00Z"})
    play("Rotate a key and keep the old one for a day", "POST", f"{path}/rotate", {"overlapHours": 24})
    play("Revoke a key", "DELETE", path)
    strong = play.ask("POST", "/keys", {"name": "owner", "scopes": ["all"]}).json["id"]
    maker = play.new_key("keys:write", read=5)
    _with_key(
        play,
        maker,
        "Create a key with a scope that the sender lacks",
        "POST",
        "/keys",
        {"name": "admin", "scopes": ["all"]},
    )
    peer = play.ask("POST", "/keys", {"name": "deploy script", "scopes": ["keys:write"]}).json["id"]
    _with_key(play, maker, "Revoke a key that has higher limits", "DELETE", f"/keys/{peer}")
    play.ask("DELETE", f"/keys/{strong}")


def platforms(play: Play) -> None:
    address = "https://bulletin.example.org/in"
    play.outside.teach("POST", address, status=200)
    wish = {"connector": "webhook", "name": "bulletin", "settings": {"url": address}}
    play("Connect an account", "POST", "/platforms", wish)
    play("List connections", "GET", "/platforms?limit=2")
    play("List connectors", "GET", "/connectors?limit=2")
    play("Get a connection", "GET", "/platforms/bulletin")
    play("Rename a connection that no post uses", "PATCH", "/platforms/bulletin", {"name": "notices"})
    play("Verify a connection", "POST", "/platforms/notices/verify")
    play.outside.always(status=401)
    play("Connect with settings that the platform refuses", "POST", "/platforms", wish)
    play("Verify a connection that the platform refuses", "POST", "/platforms/notices/verify")
    play.outside.always(status=503, headers={"Retry-After": "120"})
    play("Connect while the platform is down", "POST", "/platforms", wish)
    play.outside.always()
    play("Disconnect an account", "DELETE", "/platforms/notices")


def problems(play: Play) -> None:
    """Cause each kind of problem that the other functions did not cause. The last ones break the instance."""
    play("Request a path that does not exist", "GET", "/post")
    play("Use a method that the path does not support", "PUT", "/posts", {})
    play("Use an invalid key", "GET", "/me", headers={"Authorization": "Bearer bsk_mistyped"})
    play("Send incomplete JSON", "POST", "/posts", data='{"title": "Ink', headers={"Content-Type": "application/json"})
    play(
        "Send a form instead of JSON",
        "POST",
        "/posts",
        data="title=Ink",
        headers={"Content-Type": "application/x-www-form-urlencoded"},
    )
    play(
        "Send a body over 2 MiB", "POST", "/posts", data=" " * (2**21 + 1), headers={"Content-Type": "application/json"}
    )
    play("Accept only HTML", "GET", "/posts", headers={"Accept": "text/html"})
    play("Use plain HTTP from another machine", "GET", "/me", environ_base={"REMOTE_ADDR": "198.51.100.7"})
    _with_key(
        play, play.new_key("posts:read"), "Write with a key that can only read", "POST", "/posts", {"title": "Ink"}
    )
    hurried = play.new_key(read=1)
    while play.ask("GET", "/me", headers={"Authorization": f"Bearer {hurried}"}).status_code == 200:
        pass
    _with_key(play, hurried, "Exceed the rate limit", "GET", "/me")
    with play.at_work_on("b1-in-progress"):
        play(
            "Repeat a request that is still in progress",
            "POST",
            "/posts",
            {"title": "Ink"},
            headers={"Idempotency-Key": "b1-in-progress"},
        )
    with play.beside() as other:
        other.execute("BEGIN IMMEDIATE")
        play("Write while the database is locked", "POST", "/posts", {"title": "Ink"})
        other.execute("ROLLBACK")
        other.execute("ALTER TABLE page_view RENAME TO view_broken")
    play("Cause an internal error", "GET", "/analytics")


def _with_key(play: Play, key: str, *request: Any) -> None:
    usual, play.key = play.key, key
    play(*request)
    play.key = usual


PLAYS: tuple[Callable[[Play], None], ...] = (
    posts,
    tags,
    deliveries,
    figures,
    subscribers,
    authors,
    series,
    tag_pages,
    redirects,
    blog,
    media,
    events,
    keys,
    platforms,
    problems,
)
# Problem types that the scenario cannot cause, with the reason.
UNMET = {
    "request-timeout": "only a client that sends slowly gets it",
    "outcome-unknown": "a connection to SQLite is never lost during a commit",
}
