"""Locks on files, which the system releases when their process ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from threading import Event, Thread

import pytest

from blogsvc.lib.process_lock import held

HOLDS = "import sys, time; from pathlib import Path; from blogsvc.lib.process_lock import held\n"
HOLDS += "with held(Path(sys.argv[1])): print('held', flush=True); time.sleep(600)"


def test_a_lock_is_free_as_soon_as_its_process_is_killed(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    with subprocess.Popen([sys.executable, "-c", HOLDS, str(lock)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        with pytest.raises(BlockingIOError), held(lock):
            pass
        process.kill()
        process.wait()
    with held(lock):
        pass


def test_a_process_can_wait_for_a_lock(tmp_path: Path) -> None:
    lock, has_it = tmp_path / "lock", Event()

    def wait() -> None:
        with held(lock, waits=True):
            has_it.set()

    waiting = Thread(target=wait, daemon=True)
    with held(lock):
        waiting.start()
        assert not has_it.wait(0.2)
    assert has_it.wait(60)
