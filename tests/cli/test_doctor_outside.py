"""`blogsvc doctor` looks at the backups, and at the public address as a browser does."""

from __future__ import annotations

import os
import ssl
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from threading import Thread

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.cli.conftest import Run
from tests.cli.test_doctor import problems

Proxy = Callable[..., AbstractContextManager[dict[str, str]]]
HOST = "0.0.0.0"  # reaches this machine, but is not a loopback address, which would not be checked


@pytest.fixture
def proxy(tmp_path: Path) -> Proxy:
    """Return a function that runs a proxy with TLS, and yields the settings of the blog behind it."""

    @contextmanager
    def start(days: int = 90, status: int = 200, cookie: str = "__Host-session=1") -> Iterator[dict[str, str]]:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(status)
                self.send_header("Set-Cookie", cookie)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        pem = tmp_path / "proxy.pem"
        pem.write_bytes(certificate(days))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pem)
        server = ThreadingHTTPServer((HOST, 0), Handler)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield {"BLOGSVC_BASE_URL": f"https://{HOST}:{server.server_port}", "SSL_CERT_FILE": str(pem)}
        finally:
            server.shutdown()
            server.server_close()

    return start


def certificate(days: int) -> bytes:
    """Return a certificate for the host that expires after so many days, with its key."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, HOST)])
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - timedelta(days=100)).not_valid_after(now + timedelta(days=days, hours=1))
    builder = builder.add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address(HOST))]), critical=False)
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    own = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return own + builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


def line(run: Run, check: str, **settings: str) -> str:
    return next(line for line in run("doctor", **settings).stdout.splitlines() if line[9:22].rstrip() == check)


def test_a_valid_certificate_and_a_proxy_that_names_https_are_fine(run: Run, proxy: Proxy) -> None:
    run("key", "list")
    with proxy() as settings:
        assert "requests arrive as HTTPS" in line(run, "address", **settings)


def test_a_certificate_that_expires_soon_is_a_problem(run: Run, proxy: Proxy) -> None:
    run("key", "list")
    with proxy(days=3) as settings:
        assert "Renew it." in problems(run, **settings)["address"]


def test_a_certificate_that_browsers_refuse_is_a_problem(run: Run, proxy: Proxy) -> None:
    run("key", "list")
    with proxy() as settings:
        found = problems(run, **settings | {"SSL_CERT_FILE": ""})
        assert found["address"] == f"The certificate of {HOST} is not valid: self-signed certificate."


@pytest.mark.parametrize("answer", [{"status": 403}, {"cookie": "session=1"}])
def test_a_proxy_that_does_not_name_https_is_a_problem(run: Run, proxy: Proxy, answer: dict[str, str]) -> None:
    run("key", "list")
    with proxy(**answer) as settings:
        assert "Set BLOGSVC_TRUSTED_PROXIES=1" in problems(run, **settings)["address"]


def test_an_address_that_cannot_be_reached_is_a_problem(run: Run) -> None:
    run("key", "list")
    found = problems(run, BLOGSVC_BASE_URL="https://blog.invalid")
    assert found["address"].startswith("https://blog.invalid can't be reached from here")
    assert "plain HTTP" in problems(run, BLOGSVC_BASE_URL="http://blog.example")["address"]


def test_plain_http_that_the_owner_allows_is_no_problem(run: Run) -> None:
    run("key", "list")
    settings = {"BLOGSVC_BASE_URL": "http://192.168.1.5:8000", "BLOGSVC_ALLOW_HTTP": "1"}
    assert "passwords and API keys are sent unencrypted" in line(run, "address", **settings)


@pytest.mark.sqlite("doctor looks for backups of a file only")
def test_a_backup_that_is_too_old_is_a_problem(run: Run) -> None:
    run("key", "list")
    assert "There are none" in line(run, "backups")
    file = Path(run("backup").stdout.strip())
    assert "is 0 hours old" in line(run, "backups")
    old = (datetime.now(UTC) - timedelta(days=8)).timestamp()
    os.utime(file, (old, old))
    assert "is 8 days old. Run `blogsvc backup` every day." in problems(run)["backups"]
