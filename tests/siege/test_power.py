"""Attacks for power, on a real server: with what a former owner left, an overheard passkey, and a folder's settings."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import HTTPCookieProcessor, Request, build_opener

import pytest

from blogsvc import create_app
from blogsvc.auth import accounts, api_keys, passkeys, users
from blogsvc.auth.passkeys import RelyingParty
from blogsvc.context import Tools
from blogsvc.lib import passwords
from blogsvc.models import User, close_connections, transaction
from tests.clock import eventually
from tests.receiver import Receiver
from tests.running_server import Served, serving
from tests.siege.guessing import TOKEN
from tests.web.authenticator import Authenticator

EVE = "eve@blog.example"


@pytest.fixture(scope="module")
def served(shared_database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("power")
    with serving(folder, shared_database_url, BLOGSVC_FOLDERS=str(folder / "sites")) as served:
        yield served


@contextmanager
def beside(served: Served) -> Iterator[Tools]:
    """Use the rows of the server from this process."""
    app = create_app(served.server.config)
    with app.app_context():
        try:
            yield app.extensions["tools"]
        finally:
            close_connections()


def a_user(email: str, tools: Tools) -> User:
    with transaction():
        return User.of(email, "Eve", "owner", passwords.hashed("a ferry in the fog"), "UTC", tools.now())


def command(served: Served, *words: str) -> None:
    program = Path(sys.executable).parent / "blogsvc"
    subprocess.run([program, *words], env=served.server.environment, check=True, capture_output=True)


def test_a_former_owner_has_no_power_left(served: Served) -> None:
    with beside(served) as tools:
        a_user("ann@blog.example", tools)
        eve = a_user(EVE, tools)
        key = api_keys.create("laptop", ["all"], None, tools.now(), created_by=eve.id)[1]
        invitation = users.invite("owner", "Mal", tools.now(), eve.id)[1]
    assert Browser(served).get(f"/login/invite/{invitation}") == 200
    as_eve = Served(served.server, key)
    made = as_eve.call("POST", "/keys", {"name": "another", "scopes": ["all"]}).json["key"]
    with Receiver() as spy:
        assert as_eve.call("POST", "/webhooks", {"url": spy.url}).status == 201
        served.make(title="Heard")
        eventually(lambda: b"Heard" in b"".join(each.body for each in spy.requests))

        command(served, "user", "role", EVE, "author")
        for stolen in (key, made):
            thief = Served(served.server, stolen)
            assert thief.call("GET", "/posts").status == 403
            assert thief.call("POST", "/keys", {"name": "yet another", "scopes": ["posts:read"]}).status == 403
        assert Browser(served).get(f"/login/invite/{invitation}") == 404
        served.make(title="Unheard")
        hooks = served.call("GET", "/webhooks").json["data"]
        assert [hook["disabledReason"] for hook in hooks] == ["orphaned"]
        assert b"Unheard" not in b"".join(each.body for each in spy.requests)


class Browser:
    """A browser on this machine, which keeps cookies."""

    def __init__(self, served: Served) -> None:
        self.base = f"http://127.0.0.1:{served.server.port}"
        self.jar = CookieJar()
        self.opener = build_opener(HTTPCookieProcessor(self.jar))
        found = TOKEN.search(self.opener.open(f"{self.base}/login").read().decode())
        assert found is not None
        self.token = found[1]

    def get(self, path: str) -> int:
        return self._send(Request(self.base + path))[0]

    def post(self, path: str, body: bytes) -> tuple[int, bytes]:
        headers = {"Content-Type": "application/json", "X-CSRFToken": self.token}
        return self._send(Request(self.base + path, body, headers))

    def _send(self, request: Request) -> tuple[int, bytes]:
        try:
            with self.opener.open(request) as answer:
                return answer.status, answer.read()
        except HTTPError as refused:
            return refused.code, refused.read()


def passkey_of(email: str, served: Served) -> Authenticator:
    with beside(served) as tools:
        user = a_user(email, tools)
        site = RelyingParty.of(served.server.config)
        assert site is not None
        device = Authenticator(origin=site.origin, host=site.host)
        session, _ = accounts.begin_session(user, "", "", tools.now())
        options, state = passkeys.registration_options(user, site)
        passkeys.add(session, "Phone", device.create(json.loads(json.dumps(options))), state, site, tools.now())
    return device


def test_an_overheard_passkey_signs_in_once_also_after_a_kill(served: Served) -> None:
    device = passkey_of("bea@blog.example", served)
    browser = Browser(served)
    options: dict[str, Any] = json.loads(browser.post("/login/passkey", b"")[1])
    overheard = list(browser.jar)
    answer = json.dumps(device.get(options)).encode()
    assert browser.post("/login/passkey/answer", answer)[0] == 200
    served.server.kill_and_start()
    thief = Browser(served)
    thief.token = browser.token
    for cookie in overheard:
        thief.jar.set_cookie(cookie)
    status, body = thief.post("/login/passkey/answer", answer)
    assert (status, b"expired" in body) == (422, True)


def git(where: Path, *words: str) -> None:
    identity = ("-c", "user.name=Ann", "-c", "user.email=ann@blog.example")
    subprocess.run(["git", *identity, *words], cwd=where, check=True, capture_output=True)


def test_the_settings_of_a_folder_start_no_program(served: Served, tmp_path: Path) -> None:
    sites = served.server.instance.parent / "sites"
    sites.mkdir()
    git(sites, "init", "--quiet", "--bare", "--initial-branch=main", "blog.git")
    git(sites, "clone", "--quiet", str(sites / "blog.git"), "blog")
    git(sites / "blog", "symbolic-ref", "HEAD", "refs/heads/main")
    settings = {"path": str(sites / "blog")}
    assert (
        served.call("POST", "/platforms", {"connector": "folder", "name": "site-files", "settings": settings}).status
        == 201
    )
    program = tmp_path / "evil"
    program.write_text(f'#!/bin/sh\ntouch {tmp_path}/has-run\nexec git-receive-pack "$@"\n')
    program.chmod(0o755)
    for key in ("core.fsmonitor", "core.sshCommand", "remote.origin.receivepack", "filter.evil.clean", "diff.external"):
        git(sites / "blog", "config", key, str(program))
    (sites / "blog/.gitattributes").write_text("* filter=evil\n")
    post_id = served.make(title="On ferries")["id"]
    done = served.call("POST", f"/posts/{post_id}/publish", {"platforms": ["site-files"]}, {"Prefer": "wait=30"})
    assert done.json["status"] == "published"
    assert not (tmp_path / "has-run").exists()
