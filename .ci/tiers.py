"""Run the tiers of the test suite, give failed tests a second chance, and print a summary.

Each tier is a target of the Makefile that runs pytest once. All tiers run, also after one has failed. The failed tests
of a tier run once more, alone and without workers: those that pass then are flaky, and named in the summary. The run
fails if a test fails twice, or if a tier executes no test or fails for another reason.

The matrices (LIMITED) come last and get the time that is left of LIMIT_SECONDS. Their order is random, so that those
for which there is no time on a slow machine are others the next time. The summary says how many they were.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path

TIERS = (
    "check",
    "test",
    "test-browser",
    "test-installed",
    "test-clients",
    "test-real",
    "test-cluster",
    "test-siege",
    "test-pages",
    "test-all",
)
LIMITED = ("test-pages", "test-all")  # run as many of their tests as there is time for
LIMIT_SECONDS = 4500  # for all tiers; the machine that runs them before a change lands gives up after 5,400
LEAST_SECONDS = 300  # what a limited tier gets in any case
NO_TIME = "no time left in this run"  # as in tests/deadline.py
WITHOUT_PYTEST = ("check",)  # fails at the first fault that it finds, and has nothing to repeat
RESULTS = Path(".pytest_cache/tiers").resolve()


@dataclass
class Run:
    """One run of the tests of a tier: the exit status of make, and what pytest reported."""

    status: int
    executed: int = 0
    skipped: int = 0
    left_out: int = 0  # those of the skipped tests for which there was no time
    failed: set[str] = field(default_factory=set)  # the tests that still have to pass, by node id


@dataclass
class Result:
    """What the summary says about a tier."""

    tier: str
    seconds: float
    passed: int = 0
    failed: list[str] = field(default_factory=list)
    flaky: list[str] = field(default_factory=list)
    skipped: int = 0
    left_out: int = 0
    fault: str = ""  # why the tier failed, if not because of its tests

    @property
    def has_passed(self) -> bool:
        return not self.failed and not self.fault


def make(tier: str, report: Path, *variables: str, options: str = "") -> Run:
    """Run the target of a tier, with more options for pytest, which writes a report (JUnit XML)."""
    report.unlink(missing_ok=True)
    cache = RESULTS / tier
    # A file that can't be imported must not keep the others from running: they would not run the second time either.
    options = f"--junitxml={report} -o cache_dir={cache} --continue-on-collection-errors {options}"
    variables += (f"PYTEST_OPTIONS={options}",)
    run = Run(subprocess.run(["make", tier, *variables], stdin=subprocess.DEVNULL).returncode)
    if report.exists():
        cases = list(ElementTree.parse(report).iter("testcase"))
        reasons = [skipped.get("message") for case in cases if (skipped := case.find("skipped")) is not None]
        run.skipped, run.left_out = len(reasons), reasons.count(NO_TIME)
        run.executed = len(cases) - run.skipped
    failed = cache / "v/cache/lastfailed"
    if failed.exists():
        run.failed = set(json.loads(failed.read_text()))
    return run


def run_tier(tier: str, until: float) -> Result:
    """Run a tier, and its failed tests once more. A limited one begins no test after `until` (seconds since 1970)."""
    began = time.monotonic()
    options = f"-p tests.deadline --until={max(until, time.time() + LEAST_SECONDS)}" if tier in LIMITED else ""
    (RESULTS / tier / "v/cache/lastfailed").unlink(missing_ok=True)
    first = last = make(tier, RESULTS / f"{tier}.xml", options=options)
    if first.failed:
        say(f"{tier}: running {count(len(first.failed), 'failed test')} once more, alone")
        options = "--last-failed --last-failed-no-failures=none"
        last = make(tier, RESULTS / f"{tier}-again.xml", "PARALLEL=", options=options)
    return Result(
        tier,
        time.monotonic() - began,
        passed=first.executed - len(last.failed),
        failed=sorted(last.failed),
        flaky=sorted(first.failed - last.failed),
        skipped=first.skipped,
        left_out=first.left_out,
        fault=fault_of(tier, first, last),
    )


def fault_of(tier: str, first: Run, last: Run) -> str:
    """Return why a tier failed if its tests don't show it, "" otherwise."""
    if tier in WITHOUT_PYTEST:
        return f"make {tier} failed" if first.status else ""
    if not first.executed:
        return "no test was executed"
    return f"make {tier} failed without a failed test" if last.status and not last.failed else ""


def print_summary(results: list[Result]) -> None:
    say("Summary")
    print(f"{'tier':<16}{'seconds':>8}{'passed':>8}{'failed':>8}{'flaky':>8}{'skipped':>9}  result")
    for result in results:
        numbers = f"{result.passed:>8}{len(result.failed):>8}{len(result.flaky):>8}{result.skipped:>9}"
        if result.tier in WITHOUT_PYTEST:
            numbers = f"{'-':>8}{'-':>8}{'-':>8}{'-':>9}"
        outcome = result.fault or ("passed" if result.has_passed else "failed")
        print(f"{result.tier:<16}{result.seconds:>8.0f}{numbers}  {outcome}")
    print(f"{'all':<16}{sum(result.seconds for result in results):>8.0f}")
    for result in results:
        for kind, tests in (("failed twice", result.failed), ("flaky", result.flaky)):
            for test in tests:
                print(f"{kind}: {test}")
        if result.left_out:
            print(f"{result.tier}: there was no time for {count(result.left_out, 'test')}")
    passed, failed = sum(result.passed for result in results), sum(len(result.failed) for result in results)
    print(f"\n{passed} passed, {failed} failed, {sum(result.skipped for result in results)} skipped")


def say(heading: str) -> None:
    print(f"\n===== {heading} =====", flush=True)


def count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def main(tiers: list[str]) -> int:
    RESULTS.mkdir(parents=True, exist_ok=True)
    results = []
    until = time.time() + LIMIT_SECONDS
    for tier in tiers:
        say(tier)
        results.append(run_tier(tier, until))
    print_summary(results)
    return 0 if all(result.has_passed for result in results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or list(TIERS)))
