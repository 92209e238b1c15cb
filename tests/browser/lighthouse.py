"""`make lighthouse`: what Lighthouse says of the pages of a seeded instance, desktop and phone. It is got from npm."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from blogsvc.config import ROOT
from tests.browser.conftest import CHROMIUM, FLAGS
from tests.browser.photographs import PAGES, a_seeded_desk

FOLDER = ROOT / ".venv" / "lighthouse"
TOOL = FOLDER / "node_modules" / ".bin" / "lighthouse"
VERSION = "12.8.2"
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
# The pages of authors are told not to be found, so that of theirs the last category is no measure.
PUBLIC = {"home": "/", "post": "/a-ferry-in-the-fog"}
OURS = {name: PAGES[name] for name in ("desk", "write", "calendar", "insights", "destinations")}


def install() -> None:
    if not TOOL.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--silent", "--no-save", "--no-audit", "--no-fund", f"lighthouse@{VERSION}"]
        subprocess.run([*command, "--prefix", str(FOLDER)], check=True)


def measure(url: str, cookie: str, preset: str) -> dict[str, float | None]:
    with TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        flags = " ".join(["--headless", *FLAGS])
        command = [str(TOOL), url, "--quiet", "--output=json", f"--output-path={report}", f"--chrome-flags={flags}"]
        command += ["--preset=desktop"] if preset == "desktop" else []
        command += [f"--extra-headers={json.dumps({'Cookie': cookie})}"] if cookie else []
        command += [f"--only-categories={','.join(CATEGORIES)}"]
        subprocess.run(command, check=True, env={"CHROME_PATH": CHROMIUM, "PATH": "/usr/local/bin:/usr/bin:/bin"})
        found = json.loads(report.read_text())
    scores = {name: found["categories"][name]["score"] for name in CATEGORIES}
    audits = found["audits"]
    timings = {
        "LCP s": audits["largest-contentful-paint"]["numericValue"] / 1000,
        "CLS": audits["cumulative-layout-shift"]["numericValue"],
        "TBT ms": audits["total-blocking-time"]["numericValue"],
    }
    return {**{name: score and score * 100 for name, score in scores.items()}, **timings}


def main() -> None:
    install()
    with a_seeded_desk() as (desk, ids):
        cookie = f"blogsvc={desk.token()}"
        print("page | preset |", " | ".join((*CATEGORIES, "LCP s", "CLS", "TBT ms")))
        for preset in ("desktop", "mobile"):
            for name, path in {**PUBLIC, **OURS}.items():
                figures = measure(desk.url + path.format(**ids), "" if name in PUBLIC else cookie, preset)
                print(name, "|", preset, "|", " | ".join("-" if x is None else f"{x:.4g}" for x in figures.values()))


if __name__ == "__main__":
    main()
