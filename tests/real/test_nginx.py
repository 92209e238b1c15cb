"""The proxies of docs/running.md as real nginx servers, from Debian's package, with blogsvc behind them."""

from __future__ import annotations

import http.client
import re
import ssl
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass

import pytest

from blogsvc.config import ROOT
from tests.cli.test_doctor_outside import certificate
from tests.kill.server import Server
from tests.real.running import debian_package, running
from tests.receiver import free_port

HOST = "blog.example.org"
BLOCK = re.compile(r"^```nginx\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# The test says where a client is: all of its connections come from this machine.
MAIN = """
daemon off; pid {folder}/{name}.pid; error_log {folder}/{name}.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/{name}-1; proxy_temp_path {folder}/{name}-2; fastcgi_temp_path {folder}/{name}-3;
    uwsgi_temp_path {folder}/{name}-4; scgi_temp_path {folder}/{name}-5;
    {extra}
    {servers}
}}
"""
CLIENT = "set_real_ip_from 127.0.0.1; real_ip_header X-Test-Client;"


@dataclass(frozen=True)
class Proxies:
    """Proxies in front of blogsvc: the ports where the first one listens, and a port of the last one."""

    tls: int
    last: int
    blogsvc: int

    def status(self, path: str, client: str, port: int | None = None, **headers: str) -> int:
        """Return the status of a response for a client that asks the first proxy over TLS, or a port without TLS."""
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        connection = self._over_tls() if port is None else http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            connection.request("GET", path, headers={"Host": HOST, "X-Test-Client": client} | names)
            return connection.getresponse().status
        finally:
            connection.close()

    def _over_tls(self) -> http.client.HTTPConnection:
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE  # the certificate is made for the test
        return http.client.HTTPSConnection("127.0.0.1", self.tls, timeout=60, context=context)


@pytest.fixture(scope="module", params=[1, 2], ids=["one proxy", "two proxies"])
def proxies(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxies]:
    nginx = debian_package("nginx") / "usr/sbin/nginx"
    folder = tmp_path_factory.mktemp("nginx")
    (folder / "blog.pem").write_bytes(certificate(30))
    settings = {"BLOGSVC_TRUSTED_PROXIES": str(request.param), "BLOGSVC_BASE_URL": f"https://{HOST}"}
    server = Server(folder / "instance", settings=settings | {"BLOGSVC_BAD_KEYS_PER_MINUTE": "1"})
    plain, tls, inner = free_port(), free_port(), free_port()
    changes = {
        "listen 80": f"listen 127.0.0.1:{plain}",
        "listen 443": f"listen 127.0.0.1:{tls}",
        "10.0.0.2:8080": f"127.0.0.1:{inner}",
        "allow 10.0.0.1": "allow 127.0.0.1",
        "127.0.0.1:8000": f"127.0.0.1:{server.port}",
        "/etc/letsencrypt/live/blog.example.org/fullchain.pem": str(folder / "blog.pem"),
        "/etc/letsencrypt/live/blog.example.org/privkey.pem": str(folder / "blog.pem"),
    }
    only, first, second = (changed(block, changes) for block in BLOCK.findall((ROOT / "docs/running.md").read_text()))
    configs = {"only": only} if request.param == 1 else {"first": first, "second": second}
    with ExitStack() as stack:
        stack.callback(server.kill)
        server.start()
        server.wait_until_ready()
        for name, servers in configs.items():
            extra = "" if name == "second" else CLIENT
            config = folder / f"{name}.conf"
            config.write_text(MAIN.format(folder=folder, name=name, extra=extra, servers=servers))
            pid = folder / f"{name}.pid"
            command = [nginx, "-p", folder, "-e", folder / f"{name}.log", "-c", config]
            stack.enter_context(running(command, pid.exists, folder / f"{name}.out"))
        yield Proxies(tls, plain if request.param == 1 else inner, server.port)


def changed(text: str, changes: Mapping[str, str]) -> str:
    for old, new in changes.items():
        text = text.replace(old, new)
    return text


def test_visitors_over_tls_can_sign_in(proxies: Proxies) -> None:
    assert proxies.status("/login", "203.0.113.7") in (200, 303)
    assert proxies.status("/api/v1/me", "203.0.113.7") == 401


def test_what_a_visitor_says_about_itself_counts_for_nothing(proxies: Proxies) -> None:
    wrong = {"Authorization": "Bearer bsk_wrong"}
    for number in range(3):
        forged = wrong | {"X_Forwarded_For": f"198.51.100.{number}", "X_Forwarded_Proto": "https"}
        assert proxies.status("/api/v1/me", "203.0.113.9", **forged) == (429 if number else 401)
    assert proxies.status("/api/v1/me", "203.0.113.10", **wrong) == 401, "others have a limit of their own"


def test_nobody_signs_in_over_plain_http(proxies: Proxies) -> None:
    assert proxies.status("/login", "127.0.0.1", proxies.last) in (301, 403)
    assert proxies.status("/api/v1/me", "127.0.0.1", proxies.last) == 403
    assert proxies.status("/login", "127.0.0.1", proxies.blogsvc) == 403
    assert proxies.status("/", "127.0.0.1", proxies.blogsvc) == 200
