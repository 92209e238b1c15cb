"""One post to WordPress, a PDS and a relay at once, with the real server: published, updated, verified, withdrawn.

`SCREENSHOTS=folder make test-real` saves a screenshot of its WordPress page, if Chromium is installed.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import secrets
import shutil
import subprocess
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from blogsvc.connectors.nostr.identity import Identity
from blogsvc.lib.markdown.render import render
from blogsvc.lib.text.plain import plain
from blogsvc.lib.time import stamp
from tests.images import jpeg, png
from tests.kill.server import Server
from tests.real.pds.server import running_pds
from tests.real.relay import relay
from tests.running_server import started

PATIENCE = 300  # seconds, for everything with third-party servers
PLATFORMS = ["site", "wordpress", "bluesky", "atproto", "nostr"]
TEXT = """\
Oaks grow slowly.[^1] They are *worth* it.

| Tree  | Height |
|-------|-------:|
| Oak   |   30 m |
| Beech |   35 m |

```python
def grow(tree: str) -> str:
    return f"{tree} & <b>acorns</b>"
```

![An oak in March](IMAGE1)

## A word on beeches

- first
- second
  - nested

![A beech](IMAGE2)

[^1]: About a hand a year.
"""


@pytest.fixture(scope="module")
def pds(tmp_path_factory):
    with running_pds(tmp_path_factory.mktemp("pds") / "pds.log") as there:
        yield there


@pytest.fixture(scope="module")
def nostr(tmp_path_factory):
    with relay(tmp_path_factory.mktemp("relay")) as there:
        yield there


@pytest.fixture
def served(tmp_path):
    """The real server. WordPress on WebAssembly is slow, and a killed delivery times out after that time."""
    server = Server(tmp_path / "instance", settings={"BLOGSVC_SEND_TIMEOUT_SECONDS": "40"})
    server.settings["BLOGSVC_BASE_URL"] = f"http://127.0.0.1:{server.port}"
    with started(server) as served:
        yield served


def uploaded(served, data, name, alt):
    """Upload an image and return its URL."""
    edge = secrets.token_hex(8)
    parts = f'--{edge}\r\nContent-Disposition: form-data; name="alt"\r\n\r\n{alt}\r\n--{edge}\r\n'
    parts += f'Content-Disposition: form-data; name="file"; filename="{name}"\r\nContent-Type: image/png\r\n\r\n'
    headers = {"Authorization": f"Bearer {served.key}", "Content-Type": f"multipart/form-data; boundary={edge}"}
    with closing(http.client.HTTPConnection("127.0.0.1", served.server.port, timeout=60)) as connection:
        connection.request("POST", "/api/v1/media", parts.encode() + data + f"\r\n--{edge}--\r\n".encode(), headers)
        answer = connection.getresponse()
        assert answer.status == 201
        return json.loads(answer.read())["url"]


def ask(served, method, path, body=None, status=200):
    answer = served.call(method, path, body)
    assert answer.status == status, answer.body
    return answer.json


def once(look, is_so):
    """Poll until the condition is true, and return the result."""
    end = time.monotonic() + PATIENCE
    while not is_so(found := look()):
        assert time.monotonic() < end, found
        time.sleep(0.5)
    return found


def settled(served, path, state):
    post = once(lambda: ask(served, "GET", path), lambda post: post["status"] == state)
    return {delivery["platform"]: delivery for delivery in post["deliveries"]}


def words(html):
    return re.findall(r"\w+", plain(html))


def seen(wordpress_site):
    """Return the only post on WordPress."""
    (one,) = wordpress_site.posts()
    return wordpress_site.api("GET", f"posts/{one['id']}?context=edit")


def screenshot(url, name):
    """Save a screenshot for a person to look at."""
    folder, chromium = os.environ.get("SCREENSHOTS"), shutil.which("chromium")
    if folder and chromium:
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"]
        flags += ["--disable-background-networking", "--window-size=1280,2600", f"--screenshot={folder}/{name}.png"]
        subprocess.run([chromium, *flags, url], check=False, timeout=120, capture_output=True)


def connect(served, wordpress_site, on_pds, me, nostr):
    """Connect everything in PLATFORMS except the built-in blog."""
    blog = {"blog_url": f"http://127.0.0.1:{served.server.port}", "blog_name": "Of everything"}
    accounts = {
        "wordpress": {key: getattr(wordpress_site, key) for key in ("url", "username", "password")},
        "bluesky": on_pds,
        "atproto": on_pds | blog,
        "nostr": {"secret_key": me.secret.hex(), "relays": nostr.url},
    }
    for connector, settings in accounts.items():
        ask(served, "POST", "/platforms", {"connector": connector, "settings": settings}, 201)


def test_a_post_waits_for_a_wordpress_account_and_for_a_person_and_gets_there_once(served, wordpress_site):
    """The example of the published specification, with a kill between all steps."""
    at = stamp(datetime.now(UTC) + timedelta(seconds=5))
    platforms = ["site", "wordpress", "medium"]
    told = {"title": "Of elms", "content": "They stood here.", "platforms": platforms, "scheduledAt": at}
    path = f"/posts/{ask(served, 'POST', '/posts', told, 201)['id']}"
    copies = settled(served, path, "published")
    assert [copies[name]["state"] for name in platforms] == ["delivered", "blocked", "awaiting_hand"]
    assert wordpress_site.posts() == []
    served.server.kill_and_start()
    account = {key: getattr(wordpress_site, key) for key in ("url", "username", "password")}
    connecting = {"connector": "wordpress", "name": "trees", "settings": account}
    assert ask(served, "POST", "/platforms", connecting, 201)["aliases"] == ["wordpress"]
    served.server.kill_and_start()
    done = {"outcome": "delivered", "url": "https://medium.com/@you/of-elms"}
    ask(served, "POST", f"/deliveries/{copies['medium']['id']}/resolve", done)
    served.server.kill_and_start()
    once(lambda: ask(served, "GET", path), lambda post: post["open"] == 0 and post["status"] == "published")
    assert seen(wordpress_site)["title"]["raw"] == "Of elms"


def test_a_post_is_published_to_all_platforms_updated_and_withdrawn(served, wordpress_site, pds, nostr):
    me, on_pds = Identity(secrets.token_bytes(32)), pds.account()
    connect(served, wordpress_site, on_pds, me, nostr)
    oak = uploaded(served, jpeg(900, 600), "oak.jpg", "An oak in March")
    beech = uploaded(served, png(300, 200), "beech.png", "A beech")
    text = TEXT.replace("IMAGE1", oak).replace("IMAGE2", beech)
    told = {"title": "Of oaks", "content": text, "summary": "How slowly they grow.", "slug": "of-oaks"}
    post = ask(served, "POST", "/posts", told | {"platforms": PLATFORMS, "coverImage": oak, "tags": ["trees"]}, 201)
    path = f"/posts/{post['id']}"
    ask(served, "POST", f"{path}/publish", status=202)
    copies = settled(served, path, "published")
    home = f"http://127.0.0.1:{served.server.port}/of-oaks"

    page = wordpress_site.page(copies["wordpress"]["url"])
    screenshot(copies["wordpress"]["url"], "wordpress")
    on_wordpress = seen(wordpress_site)
    content = on_wordpress["content"]["rendered"]
    said = words(render(text))
    assert [word for word in said if word not in words(content)] == []
    assert page.count("wp-content/uploads") >= 2
    assert 'alt="An oak in March"' in page
    assert "<td" in content
    assert "acorns&lt;/b&gt;" in content
    assert home in content
    assert on_wordpress["featured_media"]

    (document,) = (record["value"] for record in pds.records(on_pds, "site.standard.document"))
    assert document["content"]["text"]["markdown"].count("| Oak   |   30 m |") == 1
    assert 'return f"{tree} & <b>acorns</b>"' in document["content"]["text"]["markdown"]
    assert document["coverImage"]["mimeType"] == "image/jpeg"
    (publication,) = pds.records(on_pds, "site.standard.publication")
    proof = f"http://127.0.0.1:{served.server.port}/.well-known/site.standard.publication"
    assert wordpress_site.page(proof) == publication["uri"] == document["site"]
    link = f'<link rel="site.standard.document" href="{copies["atproto"]["remoteId"]}">'
    assert link in wordpress_site.page(home)
    (status,) = (record["value"] for record in pds.records(on_pds, "app.bsky.feed.post"))
    assert status["text"].startswith("Of oaks")
    assert status["embed"]["external"]["uri"] == home
    assert status["embed"]["external"]["thumb"]["size"] > 1000

    (article,) = nostr.articles(me.public_key)
    assert "| Oak" in article["content"]
    assert 'return f"{tree} & <b>acorns</b>"' in article["content"]
    assert "About a hand a year." in article["content"]
    assert home in article["content"]
    assert [value for name, value in article["tags"] if name == "title"] == ["Of oaks"]

    stands = {copy["platform"]: copy["state"] for copy in ask(served, "POST", f"{path}/verify")["data"]}
    assert stands == dict.fromkeys(PLATFORMS[1:], "in-step")

    changed = {"title": "Of old oaks", "content": text.replace("30 m", "31 m"), "publish": True}
    ask(served, "PATCH", path, changed)
    settled(served, path, "published")
    on_wordpress = seen(wordpress_site)
    assert on_wordpress["title"]["raw"] == "Of old oaks"
    assert "31 m" in on_wordpress["content"]["rendered"]
    assert len(wordpress_site.media()) == 2
    (document,) = (record["value"] for record in pds.records(on_pds, "site.standard.document"))
    assert (document["title"], "31 m" in document["content"]["text"]["markdown"]) == ("Of old oaks", True)
    (article,) = (one for one in nostr.articles(me.public_key) if "31 m" in one["content"])
    stands = {copy["platform"]: copy["state"] for copy in ask(served, "POST", f"{path}/verify")["data"]}
    assert stands == dict.fromkeys(PLATFORMS[1:], "in-step")

    ask(served, "POST", f"{path}/unpublish", status=202)
    once(
        lambda: ask(served, "GET", f"{path}/deliveries")["data"],
        lambda rows: {row["state"] for row in rows} == {"withdrawn"},
    )
    assert [post["status"] for post in wordpress_site.posts()] == ["draft"]
    for collection in ("site.standard.document", "app.bsky.feed.post"):
        assert pds.records(on_pds, collection) == []
    assert nostr.articles(me.public_key) == []
    assert served.call("GET", path).json["status"] == "unpublished"


def test_a_server_killed_during_a_delivery_creates_one_copy_on_every_platform(served, wordpress_site, pds, nostr):
    me, on_pds = Identity(secrets.token_bytes(32)), pds.account()
    connect(served, wordpress_site, on_pds, me, nostr)
    told = {"title": "Of ash", "content": TEXT, "slug": "of-ash", "platforms": PLATFORMS}
    path = f"/posts/{ask(served, 'POST', '/posts', told, 201)['id']}"
    ask(served, "POST", f"{path}/publish", status=202)
    once(
        lambda: ask(served, "GET", f"{path}/deliveries")["data"],
        lambda rows: any((row["platform"], row["state"]) == ("wordpress", "sending") for row in rows),
    )
    time.sleep(secrets.randbelow(3000) / 1000)  # during the delivery
    served.server.kill()
    served.server.start()
    served.server.wait_until_ready()
    settled(served, path, "published")
    assert [one["slug"] for one in wordpress_site.posts()] == ["of-ash"]
    for collection in ("site.standard.document", "app.bsky.feed.post"):
        assert len(pds.records(on_pds, collection)) == 1
    assert len(nostr.articles(me.public_key)) == 1
