"""Texts are processed in confined processes, which are replaced when a text ends them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from blogsvc.config import ROOT
from blogsvc.errors import Busy, TextRefused
from blogsvc.lib import html_to_markdown
from blogsvc.lib.markdown.render import render
from blogsvc.lib.text import diff, outline
from blogsvc.lib.workers import text_jobs
from tests.clock import wait_until
from tests.tiers import matrix

LONG = "# A *heading*\n\nSome “words”, `code` and <b>more</b> of a text.\n\n- a\n- b\n\n" * 100
EDITED = LONG.replace("more", "less", 3) + "中 \ud800 end\n"


def workers(parent: int | None = None) -> list[int]:
    """Return the process ids of the text workers of a process, by default this one."""
    found = []
    for folder in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            command = (folder / "cmdline").read_bytes().split(b"\0")
            of = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if b"blogsvc.lib.workers.text_worker" in command and of == (parent or os.getpid()):
                found.append(int(folder.name))
    return found


def is_running(process: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


@pytest.fixture(autouse=True)
def _only_on_linux() -> None:
    if not Path("/proc/self/stat").exists():
        pytest.skip("reads /proc")


def test_long_texts_have_the_same_results_as_in_this_process() -> None:
    assert text_jobs.render(LONG) == render(LONG)
    assert text_jobs.changes(LONG, EDITED) == diff.changes(LONG, EDITED)
    assert text_jobs.outline(LONG) == outline.outline(LONG)
    html = render(LONG)
    assert text_jobs.convert(html) == html_to_markdown.convert(html)
    html += '<img src="file:///tmp/lu1_tmp.png">'
    assert text_jobs.convert_pasted(html) == html_to_markdown.convert_pasted(html)
    assert text_jobs.convert_pasted(html).lost_images == 1


def test_the_reason_of_a_refusal_is_the_same() -> None:
    text = "\n" * 6 + "<p>" + "".join(f"<b id={n}>" for n in range(2_000)) + "<p>x" * 3_000
    with pytest.raises(TextRefused, match=r"Line 7 opens <b id=0>"):
        text_jobs.render(text)


def test_a_worker_is_used_again() -> None:
    text_jobs.render(LONG)
    before = workers()
    for _ in range(5):
        text_jobs.render(LONG)
    assert workers() == before


def test_a_worker_is_used_again_by_a_large_server() -> None:
    large = bytearray(b"x" * 300 * 1024 * 1024)  # in memory while the process starts
    for worker in workers():
        os.kill(worker, signal.SIGKILL)
    text_jobs.render(LONG)
    before = workers()
    assert before
    text_jobs.render(LONG)
    assert workers() == before
    del large


def test_a_worker_that_was_ended_is_replaced() -> None:
    text_jobs.render(LONG)
    for worker in workers():
        os.kill(worker, signal.SIGKILL)
    assert text_jobs.render(LONG) == render(LONG)


COSTLY = {
    "memory": "len(bytearray(2**31))",
    "a crash": "__import__('os').abort()",
    "time": "sum(1 for _ in iter(int, 1))",  # 15 s
}


def run_to_the_limit(expression: str) -> None:
    """Run a job, and run it again if the machine was too busy to give it the time that it may take."""
    for _ in range(5):
        with suppress(Busy):
            text_jobs.run(eval, expression)


@matrix("name", COSTLY, default=lambda name: name != "time")
def test_a_text_that_takes_too_much_is_refused_and_the_next_one_is_not(name: str) -> None:
    with pytest.raises(TextRefused, match="more time or memory than is allowed"):
        run_to_the_limit(COSTLY[name])
    assert text_jobs.render(LONG) == render(LONG)


def test_a_worker_has_no_secrets_and_writes_no_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BLOGSVC_SECRET_KEY", "secret")
    for worker in workers():
        os.kill(worker, signal.SIGKILL)
    assert text_jobs.run(eval, "'BLOGSVC_SECRET_KEY' in __import__('os').environ") is False
    assert text_jobs.run(eval, "sorted({'flask', 'sqlalchemy'} & {*__import__('sys').modules})") == []
    with pytest.raises(RuntimeError, match="File too large"):
        text_jobs.run(eval, f"__import__('pathlib').Path({str(tmp_path / 'x')!r}).write_text('x')")


def asked(name: str, expression: str = "__import__('os').getpid()") -> int:
    """Run a job for a requester. Returns its result, 0 if it was refused because others have all places."""
    token = text_jobs.requester.set(name)
    try:
        return int(text_jobs.run(eval, expression))
    except Busy:
        return 0
    finally:
        text_jobs.requester.reset(token)


def test_two_requesters_are_served_at_once_and_one_after_the_other() -> None:
    with ThreadPoolExecutor(4) as pool:
        served = set(pool.map(asked, ["ann", "ben"] * 6)) - {0}  # on a slow machine some are refused
    assert 0 < len(served) <= text_jobs.WORKERS
    assert len(workers()) <= text_jobs.WORKERS + 1  # another test may have left the one of the server itself


def test_long_jobs_are_not_waited_for_except_by_the_server_itself() -> None:
    long_job = "__import__('time').sleep(6) or 1"
    with ThreadPoolExecutor(2) as pool:
        long_jobs = [pool.submit(asked, name, long_job) for name in ("ann", "ben")]
        wait_until(lambda: asked("cy") == 0)
        assert asked("ann") == 0
        assert asked("") > 0
        assert not any(job.done() for job in long_jobs)
        assert [job.result() for job in long_jobs] == [1, 1]
    assert asked("cy") > 0


def test_a_fork_starts_its_own_workers() -> None:
    text_jobs.render(LONG)
    child = os.fork()
    if child == 0:
        os._exit(0 if text_jobs.render(LONG) == render(LONG) else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert text_jobs.render(LONG) == render(LONG)


def test_workers_end_with_a_server_that_is_killed() -> None:
    code = (
        "from blogsvc.lib.workers import text_jobs; "
        "text_jobs.render('a\\n\\n' * 9_000); print('ready', flush=True); input()"
    )
    server = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, env={"PYTHONPATH": "."}
    )
    assert server.stdout is not None
    assert server.stdout.readline() == b"ready\n"
    begun = workers(server.pid)
    assert begun
    server.kill()
    server.communicate()
    end = time.monotonic() + 60
    while any(is_running(worker) for worker in begun):
        assert time.monotonic() < end
        time.sleep(0.01)
