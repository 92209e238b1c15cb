"""A backup is restored whole or not at all, and it says what is wrong with its file."""

from __future__ import annotations

import gzip
import io
import os
import random
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from signal import SIGKILL
from time import time as clock

import pytest

from blogsvc.config import Config
from blogsvc.context import Tools
from blogsvc.models import Post
from blogsvc.transfer.backup import backup
from blogsvc.transfer.backup_file import BackupError
from blogsvc.transfer.restore import restore
from tests.clock import wait_until
from tests.tiers import exhaustive

pytestmark = pytest.mark.sqlite("tests/cluster/test_moving.py backs up PostgreSQL")
AT_THE_BEGINNING = 10  # bytes of gzip, of which the time and the system mean nothing


@pytest.fixture
def backed_up(tools: Tools, a_post: Callable[..., Post], tmp_path: Path) -> Path:
    """A backup of a post and some images, which are random so that they fill most of the file."""
    a_post(live=True, content="A text that is in the backup. " * 20)
    media = tools.config.media
    media.mkdir(exist_ok=True)
    for number in range(4):
        (media / f"med_{number}.png").write_bytes(random.randbytes(60_000))
    return backup(tools, tmp_path / "all.tar.gz", has_images=True).file


@pytest.fixture
def into(tmp_path: Path) -> Config:
    return Config(instance=tmp_path / "restored")


def refusal(file: Path, into: Config) -> str:
    """Try to restore a file, and return why it was refused. Nothing may be left behind."""
    with pytest.raises(BackupError) as refused, file.open("rb") as packed:
        restore(into, packed)
    assert list(into.instance.iterdir()) == []
    return str(refused.value).replace(f"{file} ", "")


def repacked(file: Path, change: Callable[[str, bytes], tuple[str, bytes] | None]) -> Path:
    """Write a backup with other members, such as a person might, and return its file."""
    other = file.with_name("repacked.tar.gz")
    with tarfile.open(file) as archive, tarfile.open(other, "w:gz") as out:
        for member in archive:
            content = archive.extractfile(member)
            assert content is not None
            if (changed := change(member.name, content.read())) is not None:
                name, text = changed
                info = tarfile.TarInfo(name)
                info.size = len(text)
                out.addfile(info, io.BytesIO(text))
    return other


def test_the_checksums_are_those_that_sha256sum_checks(backed_up: Path, tmp_path: Path) -> None:
    (tmp_path / "unpacked").mkdir()
    with tarfile.open(backed_up) as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    command = ["sha256sum", "--check", "--strict", "SHA256SUMS"]
    said = subprocess.run(command, cwd=tmp_path / "unpacked", check=True, capture_output=True, text=True).stdout
    assert said.count(": OK\n") == 6  # with the key and the database


@pytest.mark.parametrize("bit", [0, 7])
def test_one_changed_byte_is_refused(backed_up: Path, into: Config, bit: int) -> None:
    changed = bytearray(backed_up.read_bytes())
    changed[len(changed) // 3] ^= 1 << bit
    backed_up.write_bytes(changed)
    assert "damaged" in refusal(backed_up, into)


@exhaustive
def test_of_200_backups_with_one_changed_byte_each_is_refused(backed_up: Path, into: Config) -> None:
    whole = backed_up.read_bytes()
    for place in random.sample(range(AT_THE_BEGINNING, len(whole)), 200):
        changed = bytearray(whole)
        changed[place] ^= random.randrange(1, 256)
        backed_up.write_bytes(changed)
        assert "damaged" in refusal(backed_up, into), place


@pytest.mark.parametrize("share", [0.01, 0.5, 0.99])
def test_a_backup_that_is_cut_off_is_refused(backed_up: Path, into: Config, share: float) -> None:
    whole = backed_up.read_bytes()
    backed_up.write_bytes(whole[: int(len(whole) * share)])
    assert refusal(backed_up, into) == "is damaged: its end is missing."


@pytest.mark.parametrize(
    "content",
    [b"", b"no archive", gzip.compress(b"no archive", mtime=0), gzip.compress(b"", mtime=0)],
    ids=["empty", "other", "compressed", "compressed and empty"],
)
def test_another_file_is_refused_in_plain_words(tmp_path: Path, into: Config, content: bytes) -> None:
    file = tmp_path / "other"
    file.write_bytes(content)
    assert refusal(file, into) == "is not a backup made by blogsvc, or it is damaged."


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda name, text: None if name == "SHA256SUMS" else (name, text), "it has no SHA256SUMS"),
        (lambda name, text: None if name == "blogsvc.db" else (name, text), "is damaged: it has no blogsvc.db"),
        (lambda name, text: None if "med_1" in name else (name, text), "is damaged: it has no media/med_1.png"),
        (
            lambda name, text: (name, text[:-1] + b"?" if "med_2" in name else text),
            "is damaged: media/med_2.png differs from its checksum",
        ),
        (
            lambda name, text: ("media/new.png" if "med_3" in name else name, text),
            "is damaged: it has no media/med_3.png",
        ),
        (
            lambda name, text: (name, text.splitlines(keepends=True)[0] if name == "SHA256SUMS" else text),
            "differs from its checksum",
        ),
        (lambda name, text: (name, b"nonsense\n" if name == "SHA256SUMS" else text), "is damaged"),
    ],
)
def test_what_is_missing_or_differs_is_named(
    backed_up: Path, into: Config, change: Callable[[str, bytes], tuple[str, bytes] | None], said: str
) -> None:
    assert said in refusal(repacked(backed_up, change), into)


@pytest.mark.parametrize("name", [".", "..", "/", "media", "media/..", "../media/x.png", "media/a/b.png", "notes.txt"])
def test_what_belongs_to_no_backup_is_not_restored(backed_up: Path, into: Config, name: str) -> None:
    file = repacked(backed_up, lambda member, text: (member, text))
    with gzip.open(file) as packed:
        unpacked = io.BytesIO(packed.read())
    with tarfile.open(fileobj=unpacked, mode="a") as archive:
        archive.addfile(tarfile.TarInfo(name))
    file.write_bytes(gzip.compress(unpacked.getvalue()))
    with file.open("rb") as packed:
        restore(into, packed)
    assert {path.name for path in into.instance.iterdir()} == {"blogsvc.db", "media", "secret.key"}
    assert len(list(into.media.iterdir())) == 4


def test_images_are_restored_beside_others(backed_up: Path, into: Config) -> None:
    into.media.mkdir(parents=True)
    (into.media / "med_0.png").write_bytes(b"cut off")
    (into.media / "mine.png").write_bytes(b"mine")
    with backed_up.open("rb") as packed:
        restore(into, packed)
    assert {path.name for path in into.media.iterdir()} == {"mine.png", *(f"med_{number}.png" for number in range(4))}
    assert (into.media / "med_0.png").stat().st_size == 60_000


def test_a_backup_that_was_killed_leaves_nothing_behind_after_the_next_start(
    instance: Path, a_post: Callable[..., Post], tmp_path: Path, tools: Tools
) -> None:
    a_post()
    tools.config.media.mkdir(exist_ok=True)
    for number in range(20):
        (tools.config.media / f"med_{number}.bin").write_bytes(random.randbytes(4_000_000))
    command = [Path(sys.executable).with_name("blogsvc"), "backup"]
    environment = {**os.environ, "BLOGSVC_INSTANCE": str(instance)}
    running = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)

    def left() -> list[Path]:
        return [*instance.glob(".blogsvc-*"), *instance.glob("backups/.blogsvc-*")]

    wait_until(lambda: len(left()) == 2)
    tools.config.make_instance()
    assert len(left()) == 2, "another process does not disturb one that is running"
    running.send_signal(SIGKILL)
    running.wait()
    for folder in left():
        os.utime(folder, (clock() - 120, clock() - 120))
    tools.config.make_instance()
    assert left() == []
    shutil.rmtree(tools.config.media)
