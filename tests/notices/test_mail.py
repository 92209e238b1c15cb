"""What needs a person reaches those whom it concerns by e-mail: gathered, once an hour of each kind, with a link."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from email.message import EmailMessage
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import event, select

from blogsvc.connections import manage
from blogsvc.context import Tools
from blogsvc.delivery import decide
from blogsvc.health import checks
from blogsvc.lib.net.smtp import Mailer
from blogsvc.models import Delivery, Post, Setting, User, db, transaction
from blogsvc.notices.gather import gather
from blogsvc.notices.send import send_next
from blogsvc.posts import publishing
from blogsvc.scheduler.loop import Scheduler
from blogsvc.scheduler.one_pass import one_pass
from tests.clock import NOW, Time
from tests.mail_server import MailServer
from tests.notices.conftest import text_of
from tests.outside import Outside
from tests.web.page_walk import Pages

Tick = Callable[[], None]
Make = Callable[..., Post]
Somebody = Callable[..., User]
BrowserOf = Callable[[User], Pages]

PROFILE = "https://blog.example/desk/settings/profile#e-mail"


@pytest.fixture(autouse=True)
def ann(owner: User) -> User:
    """The owner, who is told about everything."""
    return owner


def subjects(server: MailServer) -> list[str]:
    return [message["Subject"] for message in server.accepted]


def only(server: MailServer) -> EmailMessage:
    (message,) = server.accepted
    return message


def test_a_failed_post_is_one_email_with_a_link_to_its_status(
    a_failing_post: Make, server: MailServer, a_minute_later: Tick
) -> None:
    post = a_failing_post(title="The last ferry")
    a_minute_later()
    message = only(server)
    assert message["Subject"] == "1 post failed - A blog"
    assert (message["From"], message["To"]) == ("A blog <blog@blog.example>", "ann@blog.example")
    text = text_of(message)
    assert "- The last ferry\n" in text
    assert re.findall(r"https://\S+", text) == [f"https://blog.example/desk/posts/{post.id}/status", PROFILE]
    html = text_of(message, "html")
    assert "<li>The last ferry</li>" in html
    assert re.findall(r'href="([^"]+)"', html) == [f"https://blog.example/desk/posts/{post.id}/status", PROFILE]


def test_the_links_of_an_email_lead_to_pages(
    a_failing_post: Make, server: MailServer, a_minute_later: Tick, pages: Pages
) -> None:
    a_failing_post()
    a_minute_later()
    for url in re.findall(r"https://blog\.example(/[^\s#]+)", text_of(only(server))):
        assert pages.get(url).status_code == 200
    assert 'id="notices"' in pages.get("/desk/settings/profile").text


def test_failures_of_a_minute_are_one_email(a_failing_post: Make, server: MailServer, tick: Tick, time: Time) -> None:
    for number in range(7):
        a_failing_post(title=f"Post {number}")
        tick()
        time.passes(seconds=8)
    assert server.accepted == []
    time.passes(seconds=10)
    tick()
    message = only(server)
    assert message["Subject"] == "7 posts failed - A blog"
    assert re.findall(r"- (.+)\n", text_of(message)) == [*(f"Post {n}" for n in (6, 5, 4, 3, 2)), "and 2 more"]
    assert "https://blog.example/desk#needs\n" in text_of(message)


def test_a_scheduler_that_runs_seldom_does_not_wait_again(
    a_post: Make, server: MailServer, tick: Tick, time: Time
) -> None:
    a_post(live=True, platforms=["wordpress"])
    time.passes(minutes=10)
    tick()
    assert subjects(server) == ["1 post waits for an account - A blog"]


def test_several_kinds_are_one_email(
    a_failing_post: Make, a_post: Make, connect: Callable[..., str], server: MailServer, a_minute_later: Tick,
    outside: Outside, tick: Tick,
) -> None:  # fmt: skip
    a_failing_post(title="One")
    a_failing_post(title="Two")
    tick()
    outside.always(status=200)
    connect("other")
    outside.always(status=401)
    a_post(live=True, platforms=["other"])
    a_minute_later()
    message = only(server)
    assert message["Subject"] == "2 posts failed, 1 account is disconnected - A blog"
    assert "1 account is disconnected. Posts for a disconnected account wait" in text_of(message)
    assert "- other\n" in text_of(message)


def test_each_kind_is_sent_once_an_hour_and_others_do_not_wait_for_it(
    a_failing_post: Make, a_post: Make, server: MailServer, a_minute_later: Tick, tick: Tick, time: Time
) -> None:
    a_failing_post(title="One")
    a_minute_later()
    a_failing_post(title="Two")
    for _ in range(10):
        a_minute_later()
    assert subjects(server) == ["1 post failed - A blog"]
    a_post(live=True, platforms=["wordpress"])
    a_minute_later()
    assert subjects(server)[1:] == ["1 post waits for an account - A blog"]
    time.passes(minutes=60)
    a_failing_post(title="Three")
    a_minute_later()
    assert subjects(server)[2:] == ["2 posts failed - A blog"]
    assert "One" not in text_of(server.accepted[2])
    time.passes(days=1)
    a_minute_later()
    assert len(server.accepted) == 3


def test_a_post_that_missed_its_time_is_told(
    a_post: Make, server: MailServer, a_minute_later: Tick, time: Time
) -> None:
    publishing.schedule(a_post(title="Late"), time() + timedelta(hours=1), time())
    time.passes(days=3)
    a_minute_later()
    assert only(server)["Subject"] == "1 post missed its time - A blog"
    assert "- Late\n" in text_of(only(server))


def test_a_copy_that_may_not_have_arrived_is_told_once_it_needs_a_person(
    a_post: Make, server: MailServer, tools: Tools, tick: Tick, time: Time
) -> None:
    manage.connect("sandbox", "box", {"outcome": "loses the answer"}, tools)
    a_post(live=True, platforms=["box"])
    tick()
    delivery = db.session.scalars(select(Delivery)).one()
    with transaction():  # as if it was looked up soon
        delivery.next_attempt_at = time() + timedelta(minutes=30)
    for _ in range(5):
        time.passes(minutes=1)
        tick()
    assert server.accepted == []
    with transaction():
        delivery.next_attempt_at = None
        delivery.record("delivery.uncertain", time(), detail="No answer.")
    tick()
    time.passes(minutes=1)
    tick()
    assert only(server)["Subject"] == "1 post may not have arrived - A blog"


def test_authors_are_told_about_their_own_posts_and_editors_about_accounts(
    a_failing_post: Make, a_post: Make, connect: Callable[..., str], somebody: Somebody, server: MailServer,
    a_minute_later: Tick, outside: Outside, tick: Tick,
) -> None:  # fmt: skip
    ben, _cora = somebody("author", "Ben"), somebody("editor", "Cora")
    a_failing_post(title="By Ann")
    theirs = a_failing_post(title="By Ben")
    with transaction():
        theirs.author_id = ben.id
    tick()
    outside.always(status=200)
    connect("other")
    outside.always(status=401)
    a_post(live=True, platforms=["other"])
    a_minute_later()
    told = {message["To"]: message for message in server.accepted}
    assert sorted(told) == ["ann@blog.example", "ben@blog.example", "cora@blog.example"]
    assert len(server.accepted) == 3
    assert told["ben@blog.example"]["Subject"] == "1 post failed - A blog"
    assert "By Ben" in text_of(told["ben@blog.example"])
    assert "By Ann" not in text_of(told["ben@blog.example"])
    for editor in ("ann", "cora"):
        subject = told[f"{editor}@blog.example"]["Subject"]
        assert subject == "2 posts failed, 1 account is disconnected - A blog"


def test_an_author_who_sees_none_of_the_posts_gets_no_email(
    a_failing_post: Make, somebody: Somebody, server: MailServer, a_minute_later: Tick
) -> None:
    somebody("author", "Ben")
    a_failing_post()
    a_minute_later()
    assert server.recipients == ["ann@blog.example"]


def test_a_user_who_has_switched_it_off_gets_no_email(
    a_failing_post: Make, server: MailServer, a_minute_later: Tick, pages: Pages, somebody: Somebody, tick: Tick
) -> None:
    somebody("editor", "Cora")
    a_failing_post()
    tick()
    page = pages.post("/desk/settings/profile/notices", follow=True).text
    assert "You no longer get these e-mails." in page
    a_minute_later()
    assert server.recipients == ["cora@blog.example"]


def test_switched_on_again_it_tells_what_happens_from_then_on(
    a_failing_post: Make, server: MailServer, a_minute_later: Tick, pages: Pages
) -> None:
    pages.post("/desk/settings/profile/notices")
    a_failing_post(title="Before")
    a_minute_later()
    page = pages.post("/desk/settings/profile/notices", follow=True, notices="y").text
    assert "You get an e-mail when something needs you." in page
    a_failing_post(title="After")
    a_minute_later()
    assert only(server)["Subject"] == "1 post failed - A blog"
    assert "After" in text_of(only(server))


def test_what_is_resolved_before_it_is_sent_is_not_told(
    a_failing_post: Make, server: MailServer, tick: Tick, time: Time, outside: Outside
) -> None:
    resolved, deleted = a_failing_post(title="Resolved"), a_failing_post(title="Deleted")
    tick()
    outside.always(status=200)
    decide.retry(resolved.deliveries[0], time())
    with transaction():
        deleted.deleted_at = time()
    for _ in range(5):
        time.passes(minutes=1)
        tick()
    assert server.accepted == []


def test_an_email_waits_while_the_mail_server_is_down(
    a_failing_post: Make, server: MailServer, tick: Tick, time: Time, caplog: pytest.LogCaptureFixture, tools: Tools,
    somebody: Somebody,
) -> None:  # fmt: skip
    somebody("editor", "Cora")
    server.stop()
    a_failing_post(title="The last ferry")
    with caplog.at_level(logging.WARNING, "blogsvc.notices"):
        for _ in range(30):
            tick()
            time.passes(minutes=1)
    assert [record.message for record in caplog.records if record.name.startswith("blogsvc.notices")] == [
        f"a notice could not be sent; it is retried: 127.0.0.1:{server.port} can't be reached: Connection refused."
        " Check BLOGSVC_SMTP_HOST and BLOGSVC_SMTP_PORT."
    ]
    finding = mail_check(tools)
    assert not finding.is_ok
    assert "E-mail can't be sent since 2026-11-24T09:01:00.000Z: 127.0.0.1" in finding.message
    server.start()
    time.passes(hours=1)
    tick()
    assert sorted(server.recipients) == ["ann@blog.example", "cora@blog.example"]
    assert set(subjects(server)) == {"1 post failed - A blog"}
    assert mail_check(tools).is_ok


def mail_check(tools: Tools) -> checks.Finding:
    tools = replace(tools, config=replace(tools.config, smtp_host="127.0.0.1"))
    (found,) = (one for one in checks.examine(tools, is_start=True) if one.check == "e-mail")
    return found


def test_a_refused_address_keeps_no_email_from_others(
    a_failing_post: Make, server: MailServer, a_minute_later: Tick, somebody: Somebody, tools: Tools
) -> None:
    somebody("editor", "Cora")
    somebody("editor", "Zoe")
    server.refused.add("cora@blog.example")
    a_failing_post()
    a_minute_later()
    assert sorted(server.recipients) == ["ann@blog.example", "zoe@blog.example"]


class Killed(BaseException):
    """The process ends here."""


class Fatal(Mailer):
    """Kills the process before or after it sends an e-mail."""

    kills_before = False

    def send(self, message: EmailMessage) -> None:
        if not self.kills_before:
            super().send(message)
        raise Killed


class FatalBefore(Fatal):
    kills_before = True


@pytest.mark.parametrize(("kind", "count"), [(FatalBefore, 1), (Fatal, 2)])
def test_a_kill_loses_no_email_and_repeats_at_most_one(
    a_failing_post: Make, server: MailServer, owner: User, tools: Tools, time: Time, tick: Tick, kind: type[Fatal],
    count: int,
) -> None:  # fmt: skip
    a_failing_post()
    tick()
    time.passes(minutes=1)
    mailer = kind(host="127.0.0.1", port=server.port, security="none", sender="blog@blog.example")
    with pytest.raises(Killed):
        send_next(owner.id, replace(tools, mailer=mailer))
    for _ in range(20):
        time.passes(minutes=1)
        tick()
    assert subjects(server) == ["1 post failed - A blog"] * count
    assert len({message["Message-ID"] for message in server.accepted}) == 1


def test_titles_arrive_in_every_script(a_failing_post: Make, server: MailServer, a_minute_later: Tick) -> None:
    with transaction():
        Setting.write("blog_title", "Fährhaus 渡し舟")
    a_failing_post(title="Прощание 👋 naïve")
    a_minute_later()
    message = only(server)
    assert message["Subject"] == "1 post failed - Fährhaus 渡し舟"
    assert message["From"] == "Fährhaus 渡し舟 <blog@blog.example>"
    assert "- Прощание 👋 naïve\n" in text_of(message)
    assert "<li>Прощание 👋 naïve</li>" in text_of(message, "html")


def test_a_hostile_title_adds_no_header_and_no_markup(
    a_failing_post: Make, server: MailServer, a_minute_later: Tick
) -> None:
    with transaction():
        Setting.write("blog_title", "A blog\r\nBcc: eve@there.example\r\n\r\n<b>")
    post = a_failing_post(title="A post")
    with transaction():
        post.title = '<script>alert("x")</script>\n\nhttps://evil.example \u202egnp'
    a_minute_later()
    message = only(server)
    assert server.recipients == ["ann@blog.example"]
    assert message["Bcc"] is None
    assert message["Subject"] == "1 post failed - A blog Bcc: eve@there.example <b>"
    assert '- <script>alert("x")</script> https://evil.example gnp\n' in text_of(message)
    assert "<script" not in text_of(message, "html")
    assert "&lt;script&gt;" in text_of(message, "html")


def test_nothing_is_told_of_the_time_before_email_was_set_up(
    a_failing_post: Make, server: MailServer, app: Flask, tools: Tools, a_minute_later: Tick, time: Time
) -> None:
    a_failing_post(title="Before")
    one_pass(app, replace(tools, mailer=Mailer()))
    for _ in range(3):
        a_minute_later()
    assert server.accepted == []


def test_a_minute_without_news_is_one_query(
    a_failing_post: Make, app: Flask, tools: Tools, a_minute_later: Tick, server: MailServer
) -> None:
    a_failing_post()
    a_minute_later()
    a_minute_later()
    statements: list[Any] = []

    def note(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        statements.extend([statement] if statement != "BEGIN" else [])

    event.listen(db.engine, "before_cursor_execute", note)
    try:
        gather(tools)
    finally:
        event.remove(db.engine, "before_cursor_execute", note)
    assert len(statements) == 1
    assert len(server.accepted) == 1


def test_the_scheduler_of_the_server_sends_them_too(
    a_post: Make, app: Flask, tools: Tools, server: MailServer, time: Time
) -> None:
    a_post(live=True, platforms=["wordpress"])
    running = Scheduler(app, tools)
    running._run_jobs()
    assert running.tick() <= timedelta(minutes=1)
    for lanes in running.lanes:
        lanes.wait()
    assert server.accepted == []
    time.passes(minutes=1)
    running.tick()
    for lanes in running.lanes:
        lanes.wait()
    assert subjects(server) == ["1 post waits for an account - A blog"]


def test_a_system_time_that_is_set_back_stops_no_notice(
    a_failing_post: Make, server: MailServer, a_minute_later: Tick, time: Time
) -> None:
    time.passes(days=30)
    a_failing_post()
    a_minute_later()
    time.now = NOW
    a_failing_post()
    a_minute_later()
    assert len(server.accepted) == 2
