"""GET /platforms: what is connected, and what can be."""

from __future__ import annotations

from collections.abc import Callable

from blogsvc import accounts
from blogsvc.connectors import connectors
from blogsvc.models import Post
from blogsvc.toolbox import Toolbox
from tests.api_client import Api
from tests.outside import Outside

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def test_the_built_in_blog_is_always_connected(api: Api) -> None:
    (site,) = api.get("/platforms").json["connected"]
    assert (site["name"], site["health"], site["accountUrl"]) == ("site", "ok", "https://blog.example")


def test_what_can_be_connected_tells_what_it_needs_and_can(api: Api) -> None:
    available = {kind["key"]: kind for kind in api.get("/platforms").json["available"]}
    assert set(available) == {key for key, kind in connectors().items() if not kind.is_local}
    fields = {field["name"]: field for field in available["webhook"]["fields"]}
    assert fields["url"]["required"] is True
    assert fields["secret"]["secret"] is True
    assert {"update", "delete"} <= set(available["webhook"]["abilities"])


def test_a_connection_tells_its_health_and_what_is_wrong(
    api: Api, connect: Callable[..., str], a_post: Callable[..., Post], tick: Callable[[], None], outside: Outside
) -> None:
    name = connect()
    _, hook = api.get("/platforms").json["connected"]
    assert (hook["name"], hook["connector"], hook["health"], hook["lastError"]) == (name, "webhook", "ok", None)
    assert hook["account"] == "hook.example"
    outside.always(status=410)
    a_post(live=True, platforms=[name])
    tick()
    _, hook = api.get("/platforms").json["connected"]
    assert hook["health"] == "disconnected"
    assert "reconnect" in hook["lastError"]


def test_secrets_go_in_and_never_come_out(
    api: Api, tools: Toolbox, outside: Outside, a_post: Callable[..., Post], tick: Callable[[], None]
) -> None:
    outside.teach("POST", "https://hook.example/in", status=200)
    values = {"url": "https://hook.example/in", "secret": SECRET, "headers": "X-Pass: open sesame"}
    accounts.connect("webhook", "hook", values, tools)
    post = a_post(live=True, platforms=["hook"])
    tick()
    paths = ("/platforms", "/posts", f"/posts/{post.id}/events", f"/deliveries/{post.deliveries[0].id}", "/me")
    answers = [api.get(path) for path in paths] + [api.post(f"/posts/{post.id}/publish?dryRun=true")]
    for answer in answers:
        assert answer.status_code == 200
        for secret in (SECRET, SECRET.removeprefix("whsec_"), "open sesame", api.key):
            assert secret not in answer.text + str(answer.headers)
