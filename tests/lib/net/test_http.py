"""The HTTP client: allowed addresses, redirects, timeouts and size limits."""

from __future__ import annotations

import gzip
import ssl
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from blogsvc.lib.net.http import (
    AddressRefused,
    HttpClient,
    HttpError,
    OriginRefused,
    RequestNotSent,
    ResponseLost,
    ResponseTooLarge,
    Timeout,
    origin_of,
)
from tests.outside import PUBLIC, Outside
from tests.receiver import Receiver, free_port

PRIVATE = [
    "10.0.0.1",
    "10.255.255.255",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "127.0.0.1",
    "127.255.255.254",
    "100.64.0.1",
    "100.127.255.255",
    "::1",
    "fc00::1",
    "fdff:ffff::1",
    "::ffff:127.0.0.1",
    "::ffff:192.168.1.1",
    "::ffff:10.0.0.1",
    "64:ff9b::10.0.0.1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "2002:c0a8:101::1",
]
NOBODYS = [
    "0.0.0.0",
    "0.1.2.3",
    "169.254.169.254",
    "169.254.0.1",
    "100.100.100.200",
    "192.0.0.1",
    "192.0.2.1",
    "192.88.99.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::127.0.0.1",
    "::ffff:169.254.169.254",
    "::ffff:0.0.0.0",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::1",
    "2002:a9fe:a9fe::",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:0:7f00:1::1",
    "2001:db8::1",
    "3fff::1",
    "100::1",
    "5f00::1",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "fd00:ec2::254",
    "not an address",
]
OPEN = ["93.184.216.34", "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "64:ff9b::101:101"]
OTHER_NOTATIONS = [
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0x7f.1/",
    "http://0177.0.0.1/",
    "http://127.1/",
    "http://127.0.0.1./",
    "http://017700000001/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[0:0:0:0:0:0:0:1]/",
    "http://localhost/",
    "http://LOCALHOST./",
    "http://printer.localhost/",
    "http://①②⑦.⓪.⓪.①/",
    "http://127。0。0。1/",
]
NO_WEB_ADDRESS = [
    "",
    "blog.example",
    "//blog.example/",
    "ftp://blog.example/",
    "file:///etc/passwd",
    "gopher://blog.example/",
    "http://",
    "http:///etc",
    "http://blog.example@127.0.0.1/",
    "http://user:hunter2@blog.example/",
    "http://127.0.0.1\\@blog.example/",
    "http://blog.example/\r\nHost: other",
    "http://blog example/",
    "http://blog.example:99999/",
    "http://blog.example:0/",
    "http://[::1/",
]


@pytest.fixture
def outside():
    return Outside()


@pytest.fixture
def receiver():
    with Receiver(id="7") as receiver:
        yield receiver


@pytest.fixture
def http():
    http = HttpClient(allow_private=True)
    yield http
    http.close()


@pytest.mark.parametrize("address", PRIVATE + NOBODYS)
def test_a_name_that_resolves_to_a_private_address_is_rejected(outside, address):
    outside.names["sly.example"] = [address]
    with pytest.raises(AddressRefused):
        outside.http().request("GET", "https://sly.example/")
    assert outside.requests == []


@pytest.mark.parametrize("address", OPEN)
def test_a_name_that_resolves_to_a_public_address_is_requested(outside, address):
    outside.names["blog.example"] = [address]
    outside.teach("GET", "https://blog.example/")
    assert outside.http().request("GET", "https://blog.example/").status == 200


@pytest.mark.parametrize("url", OTHER_NOTATIONS)
def test_localhost_is_rejected_in_every_notation(outside, url):
    with pytest.raises(AddressRefused):
        outside.http().request("GET", url)
    assert outside.requests == []


@pytest.mark.parametrize("url", NO_WEB_ADDRESS)
def test_a_url_that_is_not_http_is_rejected(outside, url):
    with pytest.raises(AddressRefused) as caught:
        outside.http().request("GET", url)
    assert "hunter2" not in str(caught.value)
    assert outside.requests == []


def test_one_private_address_among_public_ones_rejects_them_all(outside):
    outside.names["sly.example"] = [PUBLIC, "10.0.0.1"]
    with pytest.raises(AddressRefused):
        outside.http().request("GET", "https://sly.example/")


def test_an_unresolvable_name_was_never_sent(outside):
    outside.names["nowhere.example"] = []
    with pytest.raises(RequestNotSent, match=r"nowhere\.example"):
        outside.http().request("GET", "https://nowhere.example/")


@pytest.mark.parametrize("address", PRIVATE)
def test_the_setting_allows_home_networks(outside, address):
    outside.names["nas.example"] = [address]
    outside.teach("GET", "https://nas.example/")
    assert outside.http(allow_private=True).request("GET", "https://nas.example/").status == 200


@pytest.mark.parametrize("address", NOBODYS)
def test_the_setting_does_not_allow_metadata_addresses(outside, address):
    outside.names["sly.example"] = [address]
    with pytest.raises(AddressRefused) as caught:
        outside.http(allow_private=True).request("GET", "https://sly.example/")
    assert not caught.value.is_private


def test_a_single_host_can_be_allowed(outside):
    outside.names.update({"nas.example": ["192.168.1.5"], "router.example": ["192.168.1.1"]})
    outside.teach("GET", "https://nas.example/")
    http = outside.http(allow_hosts=frozenset({"nas.example"}))
    assert http.request("GET", "https://NAS.example/").status == 200
    with pytest.raises(AddressRefused) as caught:
        http.request("GET", "https://router.example/")
    assert caught.value.is_private


def test_real_connections_to_private_addresses_are_rejected(receiver):
    http = HttpClient()
    for url in (receiver.url, f"http://localhost:{receiver.port}/", f"http://2130706433:{receiver.port}/"):
        with pytest.raises(AddressRefused):
            http.request("GET", url)
    assert receiver.connections == 0


def test_a_name_is_resolved_once_and_the_connection_uses_that_address(receiver):
    answers = iter([["127.0.0.1"], ["192.0.2.1"]])
    http = HttpClient(allow_private=True, resolver=lambda host, port: next(answers))
    http.request("GET", f"http://rebind.example:{receiver.port}/")
    assert receiver.requests[0].headers["Host"] == f"rebind.example:{receiver.port}"
    assert next(answers) == ["192.0.2.1"]
    http.close()


def test_a_name_is_checked_again_for_a_new_connection(receiver):
    answers = iter([["127.0.0.1"], ["169.254.169.254"]])
    http = HttpClient(allow_private=True, resolver=lambda host, port: next(answers))
    http.request("GET", f"http://rebind.example:{receiver.port}/")
    with pytest.raises(AddressRefused):
        http.request("GET", f"http://rebind.example:{free_port()}/")
    http.close()


def test_the_next_address_is_tried_if_the_first_does_not_respond(receiver):
    http = HttpClient(allow_private=True, resolver=lambda host, port: ["::1", "127.0.0.1"])
    assert http.request("GET", f"http://two.example:{receiver.port}/").status == 200
    http.close()


def test_the_system_resolver_is_used_by_default(receiver, http):
    assert http.request("GET", f"http://localhost:{receiver.port}/").json() == {"id": "7"}


def test_a_certificate_is_checked_against_the_name_and_not_the_resolved_address(tmp_path, monkeypatch):
    with TLSServer(tmp_path, "blog.example") as server:
        monkeypatch.setenv("SSL_CERT_FILE", str(server.authority))
        http = HttpClient(allow_private=True, resolver=lambda host, port: ["127.0.0.1"])
        assert http.request("GET", f"https://blog.example:{server.port}/").status == 200
        with pytest.raises(RequestNotSent, match="certificate"):
            http.request("GET", f"https://other.example:{server.port}/")
        assert server.names == ["blog.example", "other.example"]
        http.close()


def test_a_redirect_is_returned_unless_following_is_requested(outside):
    outside.teach("GET", "https://a.example/", status=302, headers={"Location": "https://b.example/"})
    assert outside.http().request("GET", "https://a.example/").status == 302


def test_a_redirect_to_a_private_address_is_rejected(outside):
    outside.teach("GET", "https://a.example/", status=302, headers={"Location": "http://169.254.169.254/"})
    with pytest.raises(AddressRefused):
        outside.http().request("GET", "https://a.example/", redirects=3)
    assert len(outside.requests) == 1


def test_a_redirect_of_a_write_is_never_followed(outside):
    outside.teach("POST", "https://a.example/", status=307, headers={"Location": "https://b.example/"})
    assert outside.http().request("POST", "https://a.example/", content=b"x", redirects=3).status == 307


def test_the_number_of_redirects_is_limited(outside):
    outside.teach("GET", "https://a.example/", status=302, headers={"Location": "/"})
    assert outside.http().request("GET", "https://a.example/", redirects=3).status == 302
    assert len(outside.requests) == 4


def test_credentials_are_not_sent_to_another_origin(outside):
    outside.teach("GET", "https://a.example/", status=302, headers={"Location": "/in"})
    outside.teach("GET", "https://a.example/in", status=302, headers={"Location": "https://b.example/"})
    outside.teach("GET", "https://b.example/", body=b"done")
    secret = {"Authorization": "Bearer s3cret", "Cookie": "c=1", "X-Api-Key": "k", "Accept": "image/*"}
    answer = outside.http().request("GET", "https://a.example/", headers=secret, redirects=3)
    assert (answer.text, answer.url) == ("done", "https://b.example/")
    assert outside.requests[1].headers["Authorization"] == "Bearer s3cret"
    elsewhere = outside.requests[2].headers
    assert {"authorization", "cookie", "x-api-key"}.isdisjoint(elsewhere)
    assert elsewhere["accept"] == "image/*"


def test_credentials_are_not_sent_over_plain_http_after_a_redirect(outside):
    outside.teach("GET", "https://a.example/", status=301, headers={"Location": "http://a.example/"})
    outside.teach("GET", "http://a.example/")
    outside.http().request("GET", "https://a.example/", headers={"Authorization": "x"}, redirects=1)
    assert "authorization" not in outside.requests[1].headers


def test_a_redirect_to_plain_http_is_refused_if_the_response_must_be_genuine(outside):
    outside.teach("GET", "https://a.example/", status=301, headers={"Location": "http://a.example/"})
    with pytest.raises(AddressRefused, match="redirects from https:// to http://"):
        outside.http().request("GET", "https://a.example/", redirects=1, keep_tls=True)
    assert len(outside.requests) == 1


def test_cookies_are_not_kept(outside):
    outside.teach("GET", "https://a.example/", headers={"Set-Cookie": "session=1"})
    http = outside.http()
    http.request("GET", "https://a.example/")
    http.request("GET", "https://a.example/")
    assert "cookie" not in outside.requests[1].headers


def test_proxies_from_the_environment_are_not_used(receiver, http, monkeypatch):
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{free_port()}")
    assert http.request("GET", receiver.url).status == 200


def test_a_response_has_json_media_type_and_headers(receiver, http):
    answer = http.request("POST", receiver.url, headers={"X-A": "b"}, content=b"hello")
    assert answer.json() == {"id": "7"}
    assert answer.media_type == "application/json"
    assert answer.headers["CONTENT-TYPE"] == "application/json"
    assert receiver.requests[0].body == b"hello"
    assert receiver.requests[0].headers["User-Agent"] == "blogsvc/0.1"


def test_connections_are_reused(receiver, http):
    for _ in range(3):
        http.request("GET", receiver.url)
    assert receiver.connections == 1


def test_threads_can_share_an_http_client(receiver, http):
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: http.request("POST", receiver.url, content=b"x"), range(40)))
    assert {answer.status for answer in answers} == {200}
    assert len(receiver.requests) == 40


def test_a_refused_connection_was_never_sent(http):
    with pytest.raises(RequestNotSent):
        http.request("POST", f"http://127.0.0.1:{free_port()}/", content=b"x")


@pytest.mark.parametrize("behaviour", ["reset", "reset-after", "rubbish"])
def test_a_broken_connection_loses_the_response(receiver, http, behaviour):
    receiver.will(behaviour)
    with pytest.raises(ResponseLost):
        http.request("POST", receiver.url, content=b"x")


def test_a_hanging_server_loses_the_response(receiver, http):
    receiver.will("hang")
    with pytest.raises(ResponseLost, match="in time"):
        http.request("POST", receiver.url, content=b"x", timeout=Timeout(read=0.1))


@pytest.mark.parametrize("seconds", [0.5, 20.0, 60.0])
def test_a_server_may_be_silent_for_the_whole_timeout_of_the_request(seconds):
    timeout = Timeout.within(seconds)
    assert (timeout.read, timeout.total) == (seconds, seconds)
    assert timeout.connect == min(seconds, 5.0)


def test_a_slow_dripping_server_cannot_exceed_the_total_timeout(receiver, http):
    receiver.will("drip")
    start = time.monotonic()
    with pytest.raises(ResponseLost, match="in time"):
        http.request("GET", receiver.url, timeout=Timeout(read=60, total=3))
    assert time.monotonic() - start < 30


def test_a_response_over_the_size_limit_is_cut_off(outside):
    outside.teach("GET", "https://a.example/", body=b"x" * 1001)
    with pytest.raises(ResponseTooLarge):
        outside.http().request("GET", "https://a.example/", max_bytes=1000)
    assert len(outside.http().request("GET", "https://a.example/", max_bytes=1001).body) == 1001


@pytest.mark.parametrize(("coding", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)])
def test_a_compressed_response_is_decompressed_up_to_the_size_limit(outside, coding, pack):
    packed = pack(b"x" * 100_000)
    outside.teach("GET", "https://a.example/", body=packed, headers={"Content-Encoding": coding})
    assert len(outside.http().request("GET", "https://a.example/").body) == 100_000
    with pytest.raises(ResponseTooLarge):
        outside.http().request("GET", "https://a.example/", max_bytes=len(packed) + 1)


@pytest.mark.parametrize("coding", ["gzip, gzip", "br", "zstd"])
def test_an_unrequested_content_encoding_is_not_read(outside, coding):
    outside.teach("GET", "https://a.example/", body=b"x", headers={"Content-Encoding": coding})
    with pytest.raises(ResponseLost):
        outside.http().request("GET", "https://a.example/")


def test_a_response_with_a_false_content_encoding_is_lost(outside):
    outside.teach("GET", "https://a.example/", body=b"plain", headers={"Content-Encoding": "gzip"})
    with pytest.raises(ResponseLost):
        outside.http().request("GET", "https://a.example/")


def test_json_nested_too_deep_raises_a_value_error(outside):
    outside.teach("GET", "https://a.example/", body=b"[" * 200_000)
    with pytest.raises(ValueError, match="deep"):
        outside.http().request("GET", "https://a.example/").json()


def test_a_truncated_compressed_response_is_lost(outside):
    cut = gzip.compress(b"hello")[:-4]
    outside.teach("GET", "https://a.example/", body=cut, headers={"Content-Encoding": "gzip"})
    with pytest.raises(ResponseLost):
        outside.http().request("GET", "https://a.example/")


@pytest.mark.parametrize("header", ["s3cret\r\nX: y", "s3cret\N{SNOWMAN}"])
def test_an_invalid_header_value_is_not_repeated_in_the_error(receiver, http, header):
    with pytest.raises(RequestNotSent) as caught:
        http.request("GET", receiver.url, headers={"Authorization": header})
    assert "s3cret" not in f"{caught.value} {caught.value.__cause__}"
    assert receiver.requests == []


@pytest.mark.parametrize("failure", ["refused", "unreachable", "lost", "hangs"])
def test_errors_do_not_contain_the_path_or_query_of_the_url(outside, failure):
    outside.always(failure=failure)
    with pytest.raises(HttpError) as caught:
        outside.http().request("GET", "https://a.example/bot123:token?key=hunter2")
    assert "token" not in str(caught.value)
    assert "hunter2" not in str(caught.value)


class TLSServer:
    """Returns 204 over TLS with a certificate for one name, and records the requested names."""

    def __init__(self, directory, name):
        self.authority = directory / "cert.pem"
        key = ec.generate_private_key(ec.SECP256R1())
        self.authority.write_bytes(_certificate(key, name))
        (directory / "key.pem").write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        self.names = []
        self.context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self.context.load_cert_chain(self.authority, directory / "key.pem")
        self.context.sni_callback = lambda stream, name, context: self.names.append(name)
        self.receiver = Receiver()
        self.port = self.receiver.port

    def __enter__(self):
        server = self.receiver._server
        server.socket = self.context.wrap_socket(server.socket, server_side=True)
        self.receiver.__enter__()
        return self

    def __exit__(self, *error):
        self.receiver.__exit__(*error)


def _certificate(key, name):
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
        .public_bytes(serialization.Encoding.PEM)
    )


# --- clients that carry a secret ---


@pytest.mark.parametrize(
    "elsewhere",
    [
        "https://other.example/",
        "http://own.example/",
        "https://own.example:8443/",
        "https://own.example.other.example/",
        "https://sub.own.example/",
    ],
)
def test_a_client_with_origins_sends_to_these_only(elsewhere: str) -> None:
    world = Outside()
    world.always(status=200)
    http = world.http().only_to({"https://own.example"})
    for same in ("https://own.example/a", "https://OWN.example:443/b", "https://own.example./c"):
        assert http.request("GET", same).status == 200
    with pytest.raises(OriginRefused) as refused:
        http.request("POST", elsewhere, headers={"Authorization": "Bearer x"}, content=b"secret")
    assert refused.value.allowed == ["https://own.example"]
    assert len(world.requests) == 3
    assert http.anywhere.request("GET", elsewhere).status == 200


def test_a_redirect_of_a_client_with_origins_takes_no_credential_along() -> None:
    world = Outside()
    world.teach("GET", "https://own.example/", status=302, headers={"Location": "https://other.example/"})
    world.teach("GET", "https://other.example/", status=200)
    http = world.http().only_to({"https://own.example"})
    with pytest.raises(OriginRefused) as refused:
        http.request("GET", "https://own.example/", headers={"Authorization": "x"}, redirects=1)
    assert refused.value.origin == "https://other.example"
    assert len(world.requests) == 1
    assert http.request("GET", "https://own.example/", redirects=1).status == 200


def test_a_redirect_to_another_of_its_origins_takes_the_credential_along() -> None:
    world = Outside()
    world.teach("GET", "http://own.example/", status=301, headers={"Location": "https://own.example/"})
    world.teach("GET", "https://own.example/", status=200)
    http = world.http().only_to({"http://own.example", "https://own.example"})
    assert http.request("GET", "http://own.example/", headers={"Authorization": "x"}, redirects=1).status == 200
    assert world.requests[-1].headers["Authorization"] == "x"


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        ("https://Own.example:443/path?q#f", "https://own.example"),
        ("own.example", "https://own.example"),
        (" http://own.example:8080/ ", "http://own.example:8080"),
        ("https://bücher.example", "https://xn--bcher-kva.example"),
        ("https://[::1]:80/", "https://[::1]:80"),
        ("did:plc:abc", "did:plc:abc"),
        ("", ""),
    ],
)
def test_the_origin_of_an_address(text: str, origin: str) -> None:
    assert origin_of(text) == origin
