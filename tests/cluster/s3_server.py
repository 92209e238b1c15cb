"""An S3 server of the tests' own, which can be stopped and continued."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import boto3

from tests.clock import eventually
from tests.receiver import free_port

BUCKET = "blog-files"


class S3Server:
    """A server with an empty bucket, and the environment of its clients."""

    def __init__(self, log: Path) -> None:
        self.port = free_port()
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)]
        with log.open("ab") as out:
            self.process = subprocess.Popen(command, stdout=out, stderr=out)
        eventually(self._accepts, 60)
        self.environment = {
            "AWS_ACCESS_KEY_ID": "id",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_ENDPOINT_URL_S3": f"http://127.0.0.1:{self.port}",
        }
        self.client = boto3.session.Session("id", "secret", region_name="us-east-1").client(
            "s3", endpoint_url=self.environment["AWS_ENDPOINT_URL_S3"]
        )
        self.client.create_bucket(Bucket=BUCKET)

    def names(self) -> list[str]:
        return [found["Key"] for found in self.client.list_objects_v2(Bucket=BUCKET).get("Contents", ())]

    def hang(self) -> None:
        os.kill(self.process.pid, signal.SIGSTOP)

    def go_on(self) -> None:
        os.kill(self.process.pid, signal.SIGCONT)

    def _accepts(self) -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
            return True
        return False


@contextmanager
def own_s3(folder: Path) -> Iterator[S3Server]:
    server = S3Server(folder / "s3.log")
    try:
        yield server
    finally:
        server.client.close()
        server.process.kill()
        server.process.wait()
