"""`blogsvc secrets rotate`: every stored secret is encrypted with a new key, whatever happens meanwhile."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cryptography.fernet import Fernet, InvalidToken

from blogsvc.auth import api_keys
from blogsvc.config import ROOT, Config
from blogsvc.lib.crypto import Vault
from blogsvc.lib.process_lock import held
from blogsvc.lib.time import utc_now
from blogsvc.models import ApiKey, IdempotentResponse, db, transaction
from blogsvc.models.sealed import sealed_values
from tests.cli.conftest import Run, make_app
from tests.cli.test_cli import SECRET, connect, receiver
from tests.cli.test_doctor import config, problems
from tests.kill.server import Server
from tests.receiver import Receiver
from tests.tiers import exhaustive

__all__ = ["config", "receiver"]  # fixtures


def keys_in(config: Config) -> list[str]:
    return config.key_file.read_text().split()


def sealed_in(environment: dict[str, str]) -> list[bytes]:
    with make_app(environment) as app, app.app_context():
        return [value for _, value in sealed_values(db.session.connection())]


def opens(key: str, sealed: bytes) -> bool:
    try:
        Fernet(key).decrypt(sealed)
    except InvalidToken:
        return False
    return True


def store_responses(environment: dict[str, str], count: int) -> None:
    """Store encrypted responses, as requests with an idempotency key do."""
    with make_app(environment) as app, app.app_context():
        api_keys.create("a client", ["all"], None, utc_now())
        vault: Vault = app.extensions["tools"].vault
        with transaction():
            key_id = ApiKey.all()[0].id
            for number in range(count):
                db.session.add(
                    IdempotentResponse(
                        key_id=key_id,
                        idempotency_key=f"request-{number:06}",
                        fingerprint=b"",
                        status=201,
                        sealed=vault.seal(f"answer {number}"),
                        created_at=utc_now(),
                    )
                )


def test_rotate_encrypts_every_secret_with_a_new_key_alone(
    run: Run, config: Config, environment: dict[str, str], receiver: Receiver
) -> None:
    connect(run, receiver)
    store_responses(environment, 250)
    (former,) = keys_in(config)

    result = run("secrets", "rotate")

    (key,) = keys_in(config)
    sealed = sealed_in(environment)
    assert len(sealed) == 251
    assert all(opens(key, value) and not opens(former, value) for value in sealed)
    assert SECRET in next(map(Fernet(key).decrypt, sealed)).decode()
    assert "Encrypted 251 secrets with a new key" in result.stdout
    assert "idempotent_response.sealed: 200 of 250" in result.stderr
    assert config.key_file.stat().st_mode & 0o777 == 0o600
    assert "key" not in problems(run, code=0)
    run("connection", "verify", "hook")


def test_an_instance_without_secrets_gets_a_new_key(run: Run, config: Config) -> None:
    before = keys_in(config)
    assert "Encrypted 0 secrets" in run("secrets", "rotate").stdout
    (key,) = keys_in(config)
    assert [key] != before


def test_a_secret_that_no_key_decrypts_is_reported_and_left(
    run: Run, config: Config, environment: dict[str, str], receiver: Receiver
) -> None:
    connect(run, receiver)
    before = sealed_in(environment)
    config.key_file.write_bytes(Fernet.generate_key())
    run("migrate", "--new-key")
    assert "No key decrypts 1 secrets (connection 1)." in run("secrets", "rotate").stdout
    assert sealed_in(environment) == before


def test_a_key_in_the_environment_is_replaced_in_three_steps(
    run: Run, environment: dict[str, str], receiver: Receiver, instance: Path
) -> None:
    (instance / "secret.key").unlink()
    former = Fernet.generate_key().decode()
    environment["BLOGSVC_SECRET_KEY"] = former
    connect(run, receiver)

    refused = run("secrets", "rotate", code=1).stderr
    key = refused.split()[-1]
    assert "BLOGSVC_SECRET_KEY has one key. Put a new one before it" in refused
    environment["BLOGSVC_SECRET_KEY"] = f"{key} {former}"
    assert "which encrypts 1 of 1 stored secrets. Run `blogsvc secrets rotate`" in problems(run)["key"]
    assert "Remove the other keys from it" in run("secrets", "rotate").stdout
    assert "No stored secret needs the former keys in BLOGSVC_SECRET_KEY. Remove them." in problems(run)["key"]

    environment["BLOGSVC_SECRET_KEY"] = key
    assert "key" not in problems(run, code=0)
    assert not (instance / "secret.key").exists()


def test_a_backup_waits_for_a_rotation_and_a_rotation_for_a_backup(
    run: Run, config: Config, tmp_path: Path, receiver: Receiver
) -> None:
    before = keys_in(config)
    with held(config.key_lock):
        assert "rotation is running" in run("secrets", "rotate", code=1).stderr
        if not config.database_url:
            assert "`blogsvc secrets rotate` is running" in run("backup", str(tmp_path / "a.tar.gz"), code=1).stderr
    with held(config.key_lock, shared=True):
        assert "A backup or another rotation is running" in run("secrets", "rotate", code=1).stderr
    assert keys_in(config) == before


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a file away")
def test_another_user_cannot_take_the_key_from_the_server(run: Run, config: Config) -> None:
    os.chown(config.key_file, 12345, 12345)
    assert "belongs to another user" in run("secrets", "rotate", code=1).stderr


def begin_and_kill(environment: dict[str, str], lines: int) -> None:
    """Run the command in a process of its own, and kill it after some lines of progress."""
    command = [str(Path(sys.executable).parent / "blogsvc"), "secrets", "rotate"]
    shown = os.environ | environment | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, env=shown, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
        assert process.stderr is not None
        for _ in range(lines):
            assert process.stderr.readline()
        process.send_signal(signal.SIGKILL)


@pytest.mark.parametrize("lines", [2, *(pytest.param(count, marks=exhaustive) for count in (1, 4, 7))])
def test_a_rotation_that_was_killed_leaves_everything_readable_and_continues(
    run: Run, config: Config, environment: dict[str, str], lines: int
) -> None:
    store_responses(environment, 100 * (lines + 1))
    (former,) = keys_in(config)
    begin_and_kill(environment, lines)

    keys = keys_in(config)
    if len(keys) == 2:  # not killed too late
        assert "still has a former key" in problems(run)["key"]
        assert "Continued a rotation that was interrupted." in run("secrets", "rotate").stdout
        assert keys_in(config) == keys[:1]
    assert all(opens(keys[0], value) for value in sealed_in(environment))
    assert keys[0] != former
    assert "key" not in problems(run, code=0)


@exhaustive
def test_a_running_server_takes_the_new_key_at_once(tmp_path: Path, blank_database_url: str) -> None:
    server = Server(tmp_path / "instance", blank_database_url)
    command = str(Path(sys.executable).parent / "blogsvc")

    def cli(*words: str) -> str:
        return subprocess.run(
            [command, *words], env=server.environment, capture_output=True, text=True, check=True
        ).stdout

    server.start()
    try:
        server.wait_until_ready()
        api_key = cli("key", "create", "me").strip()
        subscribe = subscriber(server.port, api_key)
        assert subscribe(0) == 201
        with ThreadPoolExecutor(2) as pool:
            answers = pool.map(subscribe, range(1, 20))
            cli("secrets", "rotate")
            assert set(answers) == {201}
        assert subscribe(20) == 201  # also stored as the answer to its idempotency key
        assert subscribe(0) == 201
    finally:
        server.kill()

    (key,) = keys_in(server.config)
    sealed = sealed_in(server.environment)
    assert len(sealed) == 2 * 21
    assert all(opens(key, value) for value in sealed)


def subscriber(port: int, key: str) -> Callable[[int], int]:
    """Return a function that creates a webhook, with an idempotency key of its own, and returns the status."""

    def subscribe(number: int) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        headers = {
            "Authorization": f"Bearer {key}",
            "Content-Type": "application/json",
            "Idempotency-Key": f"webhook-{number}",
        }
        body = json.dumps({"url": f"http://127.0.0.1:9/{number}"})
        try:
            connection.request("POST", "/api/v1/webhooks", body, headers)
            return connection.getresponse().status
        finally:
            connection.close()

    return subscribe
