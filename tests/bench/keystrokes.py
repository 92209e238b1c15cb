"""Typing into very long texts, in a real Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median

from playwright.sync_api import CDPSession, Page, sync_playwright

from blogsvc.posts import editing
from tests.bench.places import folder
from tests.bench.rows import Row, Rows
from tests.browser.conftest import CHROMIUM, FLAGS, WIDE, Desk, a_desk

WORDS = 20_000
KEYS = 60
_SENTENCE = "The last *ferry* leaves the harbour at nine, its lights on. "  # 11 words
_PARAGRAPH = _SENTENCE * 6
TEXTS = {
    "300 paragraphs": "\n\n".join([_PARAGRAPH] * (WORDS // 66)),
    "5,000 lines": "\n".join(["- Four *words* a line"] * (WORDS // 4)),
    "one paragraph": _SENTENCE * (WORDS // 11),
}


def keystrokes() -> Rows:
    """Typing into a post of 20,000 words: the CPU time of the page for each key, and the time until it is painted."""
    with folder() as place, a_desk(place.instance, place.database_url) as desk, _page(desk) as page:
        for name, text in TEXTS.items():
            with desk.app() as (_, tools):
                post_id = editing.create({"title": name, "content": text}, None, tools.now()).id
            _open(page, f"{desk.url}/desk/posts/{post_id}")
            for where, share in (("in the middle", 0.5), ("at the end", 1.0)):
                yield from _typed(page, f"{name}, {where}", share)


@contextmanager
def _page(desk: Desk) -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        context = browser.new_context(viewport=WIDE)  # type: ignore[arg-type]
        context.add_cookies([{"name": "blogsvc", "value": desk.token(), "url": desk.url}])
        yield context.new_page()
        browser.close()


def _open(page: Page, url: str) -> None:
    # While the server renders the text before, it refuses another long one with 503 and a time to wait.
    for _ in range(30):
        answer = page.goto(url, wait_until="networkidle")
        if answer is not None and answer.ok:
            return
        page.wait_for_timeout(2000)
    raise TimeoutError(f"{url} is not answered")


def _typed(page: Page, what: str, share: float) -> Rows:
    page.evaluate(_PUT_CARET, share)
    metrics = page.context.new_cdp_session(page)
    metrics.send("Performance.enable", {"timeDomain": "threadTicks"})
    for key in "warm":  # the tools of the editor are loaded with the first key
        page.keyboard.press(key)
    page.wait_for_timeout(1500)
    page.evaluate(_WATCH_KEYS)
    costs = []
    for number in range(KEYS):
        before = _cpu(metrics)
        page.keyboard.press("abcdefg h"[number % 9])
        page.evaluate(_AFTER_PAINT)
        costs.append(1000 * (_cpu(metrics) - before))
    page.wait_for_timeout(500)
    delays = sorted(page.evaluate("window.keyDelays"))
    yield Row(f"{what}: CPU time of a key", median(costs), "ms", 50, f"longest {max(costs):.0f} ms")
    yield Row(f"{what}: key to paint", median(delays), "ms", 50, f"longest {max(delays):.0f} ms")


def _cpu(metrics: CDPSession) -> float:
    named = {one["name"]: one["value"] for one in metrics.send("Performance.getMetrics")["metrics"]}
    return float(named["TaskDuration"])


_PUT_CARET = """(share) => {
  const area = document.getElementById("content");
  const index = Math.round(area.value.length * share);
  area.focus();
  area.setSelectionRange(index, index);
  area.blur();
  area.focus(); // scrolls to the caret
}"""
# The browser rounds to 8 ms, and leaves out what takes less than 16.
_WATCH_KEYS = """() => {
  window.keyDelays = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (entry.name === "keydown") window.keyDelays.push(entry.duration);
  }).observe({ type: "event", durationThreshold: 16 });
}"""
_AFTER_PAINT = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"
