"""`blogsvc mail test` sends an e-mail to a real mail server, or names the setting to change."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from pathlib import Path
from threading import Thread

import pytest

from blogsvc.lib.net.smtp import MailError
from tests.cli.conftest import Run
from tests.mail_server import PASSWORD, MailServer, make_certificate
from tests.receiver import free_port

TO = "ann@blog.example"


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    return make_certificate(tmp_path / "mail.pem")


@pytest.fixture(params=[False, True], ids=["starttls", "tls"])
def server(certificate: Path, request: pytest.FixtureRequest) -> Iterator[MailServer]:
    """A mail server that wants encryption and a password, with a certificate of its own."""
    with MailServer(certificate, is_tls=request.param) as server:
        yield server


def error_of(run: Run, server: MailServer, code: int = 1, **changes: str) -> str:
    error = run("mail", "test", TO, code=code, **server.environment(**changes)).stderr
    assert PASSWORD not in error
    assert error.count("\n") == 1
    return error


def test_a_test_email_arrives_over_tls_after_authentication(run: Run, server: MailServer) -> None:
    said = run("mail", "test", TO, **server.environment()).stdout
    assert said == "localhost accepted a test e-mail to ann@blog.example.\n"
    (message,) = server.accepted
    assert (message["To"], message["Subject"]) == (TO, "Test e-mail - A blog")
    assert message["From"] == "A blog <blog@blog.example>"
    assert message["Auto-Submitted"] == "auto-generated"
    assert server.recipients == [TO]


def test_a_wrong_password_names_its_setting(run: Run, server: MailServer) -> None:
    error = error_of(run, server, BLOGSVC_SMTP_PASSWORD="a guess")
    assert error.startswith("blogsvc: localhost rejected the user or password (535 ")
    assert error.endswith("Check BLOGSVC_SMTP_USER and BLOGSVC_SMTP_PASSWORD.\n")
    assert "a guess" not in error


def test_a_certificate_that_nobody_trusts_is_refused(run: Run, server: MailServer) -> None:
    error = error_of(run, server, SSL_CERT_FILE="")
    assert "The certificate of localhost is not valid: self-signed certificate. Check BLOGSVC_SMTP_HOST." in error
    assert server.accepted == []


def test_a_certificate_of_another_host_is_refused(run: Run, server: MailServer) -> None:
    assert "The certificate of 127.0.0.1 is not valid" in error_of(run, server, BLOGSVC_SMTP_HOST="127.0.0.1")


def test_an_address_that_the_mail_server_refuses_is_named(run: Run, server: MailServer) -> None:
    server.refused.add(TO)
    assert "rejected the recipient ann@blog.example (550 No such user here)." in error_of(run, server)


def test_the_answer_of_the_mail_server_is_shown_on_one_line(run: Run, server: MailServer) -> None:
    server.reply = f"554-Not today,\r\n554 {PASSWORD}"
    assert "localhost rejected the e-mail (554 Not today, •••)." in error_of(run, server)


def test_an_address_that_is_none_is_refused(run: Run, server: MailServer) -> None:
    for address in ("ann", "ann@blog.example\r\nBcc: eve@there.example", "ann@blog.example, eve@there.example"):
        assert "is not an address" in run("mail", "test", address, code=1, **server.environment()).stderr
    assert server.accepted == []


def test_a_server_without_starttls_gets_no_password(run: Run) -> None:
    with MailServer() as server:
        given = {"BLOGSVC_SMTP_SECURITY": "starttls", "BLOGSVC_SMTP_USER": "blog", "BLOGSVC_SMTP_PASSWORD": PASSWORD}
        assert "does not offer STARTTLS. Set BLOGSVC_SMTP_SECURITY=tls" in error_of(run, server, **given)


def test_a_port_without_tls_names_the_security(run: Run) -> None:
    with MailServer() as server:
        error = error_of(run, server, BLOGSVC_SMTP_SECURITY="tls")
    assert "does not speak TLS. Check BLOGSVC_SMTP_PORT and BLOGSVC_SMTP_SECURITY." in error


def test_a_server_that_is_down_names_host_and_port(run: Run) -> None:
    error = error_of(run, MailServer(port=free_port()))
    assert "can't be reached: Connection refused. Check BLOGSVC_SMTP_HOST and BLOGSVC_SMTP_PORT." in error


def test_a_host_that_does_not_exist_is_named(run: Run) -> None:
    error = error_of(run, MailServer(), BLOGSVC_SMTP_HOST="mail.invalid")
    assert "The mail server mail.invalid was not found. Check BLOGSVC_SMTP_HOST." in error


def test_without_settings_the_command_says_what_to_set(run: Run) -> None:
    error = run("mail", "test", TO, code=1).stderr
    assert error == "blogsvc: E-mail is not set up. Set BLOGSVC_SMTP_HOST and BLOGSVC_MAIL_FROM.\n"


def test_a_password_is_never_sent_unencrypted_to_another_machine(run: Run) -> None:
    given = {"BLOGSVC_SMTP_HOST": "mail.example", "BLOGSVC_SMTP_SECURITY": "none", "BLOGSVC_SMTP_USER": "blog"}
    error = error_of(run, MailServer(), code=4, BLOGSVC_SMTP_PASSWORD=PASSWORD, **given)
    assert "would send the password unencrypted" in error


@contextmanager
def dripping() -> Iterator[int]:
    """Run a server that greets with one byte now and then, without end, and yield its port."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def drip() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.settimeout(0.05)
                try:
                    while True:
                        connection.sendall(b"2")
                        try:
                            if not connection.recv(1):
                                return
                        except TimeoutError:
                            pass
                except OSError:
                    pass

        thread = Thread(target=drip, daemon=True)
        thread.start()
        yield listening.getsockname()[1]
        thread.join(10)


def test_a_slow_server_can_not_extend_the_deadline() -> None:
    with dripping() as port, pytest.raises(MailError, match=r"did not answer within 0\.5 seconds"):
        MailServer(port=port).mailer(seconds=0.5).send(EmailMessage())
