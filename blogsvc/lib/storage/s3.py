"""Files in an S3-compatible store, such as Amazon S3, Garage, Ceph or Cloudflare R2, with copies on this machine.

The credentials, the region and the address of the store are those of all Amazon tools: AWS_ACCESS_KEY_ID,
AWS_SECRET_ACCESS_KEY, AWS_REGION and AWS_ENDPOINT_URL_S3, or what their configuration files and services say.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import wraps
from pathlib import Path
from tempfile import NamedTemporaryFile
from threading import Lock
from time import monotonic, time
from typing import Any, ParamSpec, TypeVar
from urllib.parse import urlsplit

import boto3
from botocore.config import Config as ClientConfig
from botocore.exceptions import BotoCoreError, ClientError

from blogsvc.errors import Busy
from blogsvc.lib.files import private_files
from blogsvc.lib.sizes import MIB
from blogsvc.lib.storage import Storage, StoredFile

# Copies beyond this are removed, the oldest first. An image has about one mebibyte in all its sizes.
MAX_COPIES_BYTES = 1024 * MIB
# A younger file is not removed: it may be read, or is being written before it is stored. Seconds.
IN_USE_FOR = 600
# After as many bytes of new copies, they are counted.
COUNT_EVERY = 64 * MIB
MAX_REMOVED_AT_ONCE = 1000  # of the protocol
# After a copy could not be fetched, no other one is for this time, because each try may hold up a thread. Seconds.
PAUSE = 30.0
# Other stores than Amazon's don't know the newer checksums.
COMPATIBLE = {"request_checksum_calculation": "when_required", "response_checksum_validation": "when_required"}
# A reader waits for a copy; whoever writes can wait longer.
READING = ClientConfig(connect_timeout=2, read_timeout=5, retries={"total_max_attempts": 1}, **COMPATIBLE)
WRITING = ClientConfig(
    connect_timeout=5, read_timeout=60, retries={"mode": "standard", "total_max_attempts": 3}, **COMPATIBLE
)

DOES_NOT_ANSWER = "The storage of images and files doesn't answer as it should. Try again in a moment"

P = ParamSpec("P")
T = TypeVar("T")


def _as_busy(call: Callable[P, T]) -> Callable[P, T]:
    """Let errors of the store be raised as Busy, which says that trying again helps."""

    @wraps(call)
    def calling(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return call(*args, **kwargs)
        except (BotoCoreError, ClientError) as error:
            raise Busy(f"{DOES_NOT_ANSWER}: {error}", retry_after=int(PAUSE)) from error

    return calling


class S3Storage(Storage):
    is_remote = True

    def __init__(self, url: str, folder: Path, max_copies_bytes: int = MAX_COPIES_BYTES) -> None:
        super().__init__(folder)
        self.max_copies_bytes = max_copies_bytes
        parts = urlsplit(url)
        self.bucket, self.prefix = parts.netloc, f"{path}/" if (path := parts.path.strip("/")) else ""
        self._clients: dict[ClientConfig, Any] = {}
        self._lock = Lock()
        self._failed_at = -PAUSE
        self._new_bytes = COUNT_EVERY  # so that the first new copy counts those of before

    def _client(self, config: ClientConfig = WRITING) -> Any:
        with self._lock:
            if config not in self._clients:
                self._clients[config] = boto3.session.Session().client("s3", config=config)
            return self._clients[config]

    @_as_busy
    def store(self, name: str) -> None:
        with self.place(name).open("rb") as file:
            self._client().put_object(Bucket=self.bucket, Key=self.prefix + name, Body=file)

    def local(self, name: str) -> Path | None:
        path = self.place(name)
        if path.is_file():
            return path
        if monotonic() - self._failed_at < PAUSE:
            raise Busy(f"{DOES_NOT_ANSWER}.", retry_after=int(PAUSE))
        try:
            is_there = self._fetch(name, path)
        except Busy:
            self._failed_at = monotonic()
            raise
        return path if is_there else None

    @_as_busy
    def _fetch(self, name: str, path: Path) -> bool:
        """Make a copy. Returns False if there is no such file."""
        private_files.make_directory(path.parent)
        with NamedTemporaryFile(prefix=".", dir=path.parent) as file:
            try:
                found = self._client(READING).get_object(Bucket=self.bucket, Key=self.prefix + name)
            except ClientError as error:
                if error.response["Error"]["Code"] in ("404", "NoSuchKey"):
                    return False
                raise
            with found["Body"] as body:
                shutil.copyfileobj(body, file, MIB)
            file.flush()
            with suppress(FileExistsError):  # another thread was faster
                os.link(file.name, path)
        self._make_room(path.stat().st_size)
        return True

    def names(self, prefix: str) -> list[str]:
        return sorted(file.name for file in self._listed(prefix))

    def files(self, directory: str) -> Iterator[StoredFile]:
        return iter(self._listed(f"{directory}/"))

    @_as_busy
    def _listed(self, prefix: str) -> list[StoredFile]:
        pages = self._client().get_paginator("list_objects_v2")
        return [
            StoredFile(found["Key"].removeprefix(self.prefix), found["Size"], found["LastModified"].timestamp())
            for page in pages.paginate(Bucket=self.bucket, Prefix=self.prefix + prefix)
            for found in page.get("Contents", ())
        ]

    @_as_busy
    def remove(self, names: Iterable[str]) -> None:
        left = list(names)
        while left:
            some, left = left[:MAX_REMOVED_AT_ONCE], left[MAX_REMOVED_AT_ONCE:]
            keys = [{"Key": self.prefix + name} for name in some]
            self._client().delete_objects(Bucket=self.bucket, Delete={"Objects": keys, "Quiet": True})
            for name in some:
                self.place(name).unlink(missing_ok=True)

    def remove_directory(self, directory: str) -> None:
        self.remove(self.names(f"{directory}/"))

    def close(self) -> None:
        with self._lock:
            clients, self._clients = self._clients, {}
        for client in clients.values():
            client.close()

    def _make_room(self, new_bytes: int) -> None:
        """Remove the oldest copies if there are too many, but none that may be in use."""
        with self._lock:
            self._new_bytes += new_bytes
            if self._new_bytes < COUNT_EVERY:
                return
            self._new_bytes = 0
        copies = []
        for parent, _, names in os.walk(self.folder):
            for name in names:
                with suppress(FileNotFoundError):
                    copies.append((Path(parent, name).stat(), Path(parent, name)))
        total = sum(found.st_size for found, _ in copies)
        for found, path in sorted(copies, key=lambda copy: copy[0].st_mtime):
            if total <= self.max_copies_bytes or found.st_mtime > time() - IN_USE_FOR:
                return
            path.unlink(missing_ok=True)
            total -= found.st_size
