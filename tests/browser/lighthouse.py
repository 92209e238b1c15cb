"""`make lighthouse`: Lighthouse scores of the pages of a seeded instance, desktop and phone. Installed from npm."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from blogsvc.config import ROOT
from tests.browser.conftest import CHROMIUM, FLAGS
from tests.browser.screenshots import PAGES, a_demo, a_seeded_desk

FOLDER = ROOT / ".venv" / "lighthouse"
TOOL = FOLDER / "node_modules" / ".bin" / "lighthouse"
VERSION = "12.8.2"
TRIES = 3
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
# Pages of the demo.
PUBLIC = {
    "home": "/",
    "post": "/forty-minutes-in-the-steam-box",
    "page": "/about",
    "tag": "/tag/writing",
    "archive": "/archive",
    "author": "/author/ada-lindqvist",
}
# Search engines should find the blog, not these pages: the SEO category is left out.
OURS = {name: PAGES[name] for name in ("dashboard", "editor", "calendar", "analytics", "destinations")}


def install() -> None:
    if not TOOL.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--silent", "--no-save", "--no-audit", "--no-fund", f"lighthouse@{VERSION}"]
        subprocess.run([*command, "--prefix", str(FOLDER)], check=True)


def measure(url: str, cookie: str, preset: str, categories: Sequence[str]) -> dict[str, float | None]:
    with TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        flags = " ".join(["--headless", *FLAGS])
        command = [str(TOOL), url, "--quiet", "--output=json", f"--output-path={report}", f"--chrome-flags={flags}"]
        command += ["--preset=desktop"] if preset == "desktop" else []
        command += [f"--extra-headers={json.dumps({'Cookie': cookie})}"] if cookie else []
        command += [f"--only-categories={','.join(categories)}"]
        _run(command)
        found = json.loads(report.read_text())
    scores = {name: found["categories"].get(name, {}).get("score") for name in CATEGORIES}
    audits = found["audits"]
    _complain(found)
    timings = {
        "LCP s": audits["largest-contentful-paint"]["numericValue"] / 1000,
        "CLS": audits["cumulative-layout-shift"]["numericValue"],
        "TBT ms": audits["total-blocking-time"]["numericValue"],
    }
    return {**{name: score and score * 100 for name, score in scores.items()}, **timings}


def _run(command: list[str]) -> None:
    """Run again if the browser lost its trace (NO_NAVSTART), which happens occasionally."""
    for number in range(1, TRIES + 1):
        done = subprocess.run(command, env={"CHROME_PATH": CHROMIUM, "PATH": "/usr/local/bin:/usr/bin:/bin"})
        if done.returncode == 0 or number == TRIES:
            done.check_returncode()
            return


def _complain(found: dict[str, Any]) -> None:
    """Print the audits that did not get the full score."""
    for name, category in found["categories"].items():
        weights = {one["id"]: one["weight"] for one in category["auditRefs"]}
        for audit_id, weight in weights.items():
            audit = found["audits"][audit_id]
            if weight and audit["score"] is not None and audit["score"] < 1:
                print(f"  {name}: {audit['title']} ({audit['score']:.2f}) {audit.get('displayValue', '')}")


def main() -> None:
    install()
    print("page | preset |", " | ".join((*CATEGORIES, "LCP s", "CLS", "TBT ms")))
    with a_demo() as blog:
        _measure_all({name: blog.url + path for name, path in PUBLIC.items()}, "", CATEGORIES)
    with a_seeded_desk() as desk:
        urls = {name: desk.url + path.format(**desk.ids) for name, path in OURS.items()}
        _measure_all(urls, f"blogsvc={desk.token()}", CATEGORIES[:-1])


def _measure_all(urls: Mapping[str, str], cookie: str, categories: Sequence[str]) -> None:
    for preset in ("desktop", "mobile"):
        for name, url in urls.items():
            figures = measure(url, cookie, preset, categories)
            print(name, "|", preset, "|", " | ".join("-" if x is None else f"{x:.4g}" for x in figures.values()))


if __name__ == "__main__":
    main()
