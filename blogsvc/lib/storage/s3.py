"""Files in an S3-compatible store, such as Amazon S3, Garage, Ceph or Cloudflare R2, with copies on this machine.

The credentials, the region and the address of the store are those of all Amazon tools: AWS_ACCESS_KEY_ID,
AWS_SECRET_ACCESS_KEY, AWS_DEFAULT_REGION and AWS_ENDPOINT_URL_S3, or what their configuration files and services say.
"""

from __future__ import annotations

import logging
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
from blogsvc.lib.setting_checks import BadSetting
from blogsvc.lib.sizes import MIB
from blogsvc.lib.storage import Storage, StoredFile

# Copies beyond this are removed, those that were not read for longest first. An image has about one mebibyte in all its
# sizes.
MAX_COPIES_BYTES = 1024 * MIB
# A copy that was not read for this long is removed, too: it may be of a file that is gone. Seconds.
UNREAD_FOR = 7 * 24 * 3600
# One that was read since is not removed: it may be in use, or is being written before it is stored. Seconds.
IN_USE_FOR = 600
# After as many bytes of new copies, they are counted.
COUNT_EVERY = 64 * MIB
# After a request for reading failed, there is no other one for this time, because each may hold up a thread. Seconds.
PAUSE = 30.0
# Other stores than Amazon's don't know the newer checksums.
COMPATIBLE = {"request_checksum_calculation": "when_required", "response_checksum_validation": "when_required"}
# A reader waits; whoever writes can wait longer.
READING = ClientConfig(connect_timeout=2, read_timeout=5, retries={"total_max_attempts": 1}, **COMPATIBLE)
WRITING = ClientConfig(
    connect_timeout=5, read_timeout=60, retries={"mode": "standard", "total_max_attempts": 3}, **COMPATIBLE
)
UNAVAILABLE = "The storage of images and files is unavailable. Try again in a moment."

log = logging.getLogger(__name__)
P = ParamSpec("P")
T = TypeVar("T")


def _as_busy(call: Callable[P, T]) -> Callable[P, T]:
    """Raise errors of the store, and of the local disk, as Busy. They name addresses, so only the log has them."""

    @wraps(call)
    def calling(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return call(*args, **kwargs)
        except (BotoCoreError, ClientError, OSError) as error:
            log.warning("the storage of images and files failed: %s", error)
            raise Busy(UNAVAILABLE, retry_after=int(PAUSE)) from error

    return calling


class S3Storage(Storage):
    def __init__(self, url: str, folder: Path, max_copies_bytes: int = MAX_COPIES_BYTES) -> None:
        super().__init__(folder)
        self.max_copies_bytes = max_copies_bytes
        parts = urlsplit(url)
        self.bucket, self.prefix = parts.netloc, f"{path}/" if (path := parts.path.strip("/")) else ""
        self._clients: dict[ClientConfig, Any] = {}
        self._lock = Lock()
        self._failed_at = -PAUSE
        self._new_bytes = COUNT_EVERY  # so that the first new copy counts those of before

    def identity(self) -> str:
        """Return the name of the bucket, which Amazon gives only once, and the address of another store."""
        endpoint = urlsplit(self._client(READING).meta.endpoint_url)
        store = "" if (endpoint.hostname or "").endswith(".amazonaws.com") else endpoint.netloc
        return f"{self.bucket}/{self.prefix} {store}"

    def require_usable(self) -> None:
        try:
            self._client(WRITING)
        except (BotoCoreError, ValueError) as error:
            raise BadSetting(
                f"The S3 client can't be used: {error} Check the variables that begin with AWS_."
            ) from error

    def _client(self, config: ClientConfig) -> Any:
        with self._lock:
            if config not in self._clients:
                self._clients[config] = boto3.session.Session().client("s3", config=config)
            return self._clients[config]

    @_as_busy
    def store(self, name: str) -> None:
        with self.place(name).open("rb") as file:
            self._client(WRITING).put_object(Bucket=self.bucket, Key=self.prefix + name, Body=file)
            size = os.fstat(file.fileno()).st_size
        self._make_room(size)

    def local(self, name: str) -> Path | None:
        path = self.place(name)
        with suppress(FileNotFoundError):
            os.utime(path)  # so that it is not removed while it is read
            return path
        return path if self._reading(lambda: self._fetch(name, path)) else None

    def names(self, prefix: str) -> list[str]:
        return sorted(file.name for file in self._reading(lambda: self._listed(prefix, READING)))

    def _reading(self, read: Callable[[], T]) -> T:
        """Return what a request for reading returns. Raises Busy if it fails, or if another one failed just now."""
        if monotonic() - self._failed_at < PAUSE:
            raise Busy(UNAVAILABLE, retry_after=int(PAUSE))
        try:
            return read()
        except Busy:
            self._failed_at = monotonic()
            raise

    @_as_busy
    def _fetch(self, name: str, path: Path) -> bool:
        """Make a copy. Returns False if there is no such file."""
        private_files.make_directory(path.parent)
        with NamedTemporaryFile(prefix=".", dir=path.parent, delete=False) as file:
            try:
                found = self._client(READING).get_object(Bucket=self.bucket, Key=self.prefix + name)
                with found["Body"] as body:
                    shutil.copyfileobj(body, file, MIB)
                file.flush()
                os.replace(file.name, path)
            except BaseException as error:
                os.unlink(file.name)
                if isinstance(error, ClientError) and error.response["Error"]["Code"] in ("404", "NoSuchKey"):
                    return False
                raise
        self._make_room(path.stat().st_size)
        return True

    def files(self, directory: str, *, below: bool = False) -> Iterator[StoredFile]:
        depth = directory.count("/") + (2 if below else 1)
        return (file for file in self._listed(f"{directory}/", WRITING) if file.name.count("/") == depth)

    @_as_busy
    def _listed(self, prefix: str, config: ClientConfig) -> list[StoredFile]:
        pages = self._client(config).get_paginator("list_objects_v2")
        return [
            StoredFile(found["Key"].removeprefix(self.prefix), found["Size"], found["LastModified"].timestamp())
            for page in pages.paginate(Bucket=self.bucket, Prefix=self.prefix + prefix)
            for found in page.get("Contents", ())
        ]

    @_as_busy
    def remove(self, names: Iterable[str]) -> None:
        for name in names:
            self.place(name).unlink(missing_ok=True)
            # Not many in one request: for that, other stores want checksums that this client no longer sends.
            self._client(WRITING).delete_object(Bucket=self.bucket, Key=self.prefix + name)

    def remove_directory(self, directory: str) -> None:
        shutil.rmtree(self.place(directory), ignore_errors=True)
        self.remove(file.name for file in self._listed(f"{directory}/", WRITING))

    def close(self) -> None:
        with self._lock:
            clients, self._clients = self._clients, {}
        for client in clients.values():
            client.close()

    def _make_room(self, new_bytes: int) -> None:
        """Remove copies that were not read for long, and others if there are too many, but none that may be in use."""
        with self._lock:
            self._new_bytes += new_bytes
            if self._new_bytes < COUNT_EVERY:
                return
            self._new_bytes = 0
        copies, now = [], time()
        for parent, _, names in os.walk(self.folder):
            for name in names:
                with suppress(FileNotFoundError):
                    copies.append((Path(parent, name).stat(), Path(parent, name)))
        total = sum(found.st_size for found, _ in copies)
        for found, path in sorted(copies, key=lambda copy: copy[0].st_mtime):
            is_unread, is_unused = found.st_mtime < now - UNREAD_FOR, found.st_mtime < now - IN_USE_FOR
            if is_unread or (is_unused and total > self.max_copies_bytes):
                path.unlink(missing_ok=True)
                total -= found.st_size
