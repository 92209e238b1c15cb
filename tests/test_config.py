"""Settings: read from the environment, and rejected with the name of their variable."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from blogsvc.config import PACKAGE, ROOT, Config
from blogsvc.lib.setting_checks import BadSetting


def test_without_an_environment_every_setting_has_its_default() -> None:
    assert Config.load({}) == Config()


def test_every_setting_has_its_own_variable_and_a_description() -> None:
    variables = [field.metadata["variable"] for field in fields(Config)]
    assert len(set(variables)) == len(variables)
    assert all(name in {"HOST", "PORT"} or name.startswith("BLOGSVC_") for name in variables)
    for field in fields(Config):
        assert field.metadata["description"].endswith("."), field.name


@pytest.mark.parametrize(
    ("variable", "text", "name", "value"),
    [
        ("HOST", "0.0.0.0", "host", "0.0.0.0"),
        ("PORT", " 80 ", "port", 80),
        ("BLOGSVC_ALLOW_HTTP", "Yes", "allow_http", True),
        ("BLOGSVC_SCHEDULER", "off", "scheduler", False),
        ("BLOGSVC_GRACE_SECONDS", "1.5", "grace_seconds", 1.5),
        ("BLOGSVC_CORS_ORIGINS", "https://a.example, https://b.example,", "cors_origins", ("https://a.example", "https://b.example")),
        ("BLOGSVC_INSTANCE", "/srv/../srv/blog", "instance", Path("/srv/blog")),
        ("PORT", "", "port", 8000),
        ("BLOGSVC_SCHEDULER", " ", "scheduler", True),
    ],
)  # fmt: skip
def test_a_value_is_converted_to_the_type_of_its_setting(variable: str, text: str, name: str, value: Any) -> None:
    assert getattr(Config.load({variable: text}), name) == value


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("PORT", "eighty"),
        ("PORT", "-1"),
        ("PORT", "80.5"),
        ("PORT", "0"),
        ("PORT", "65536"),
        ("BLOGSVC_BASE_URL", "blog.example"),
        ("BLOGSVC_BASE_URL", "ftp://blog.example"),
        ("BLOGSVC_BASE_URL", "https://blog.example/path"),
        ("BLOGSVC_BASE_URL", "https://blog.example?query"),
        ("BLOGSVC_BASE_URL", "https://me:secret@blog.example"),
        ("BLOGSVC_BASE_URL", "https://blog.example:99999"),
        ("BLOGSVC_BASE_URL", "https://[blog"),
        ("BLOGSVC_SCHEDULER", "perhaps"),
        ("BLOGSVC_GRACE_SECONDS", "nan"),
        ("BLOGSVC_GRACE_SECONDS", "inf"),
        ("BLOGSVC_GRACE_SECONDS", "-0.1"),
        ("BLOGSVC_SMTP_HOST", "smtp://mail.example"),
        ("BLOGSVC_SMTP_PORT", "0"),
        ("BLOGSVC_SMTP_SECURITY", "ssl"),
        ("BLOGSVC_MAIL_FROM", "The blog <blog@blog.example>"),
        ("BLOGSVC_MAIL_FROM", "blog"),
        ("BLOGSVC_DATABASE_URL", "no URL"),
        ("BLOGSVC_DATABASE_URL", "sqlite:///blogsvc.db"),
        ("BLOGSVC_DATABASE_URL", "postgres://blogsvc@db.example/blogsvc"),
        ("BLOGSVC_DATABASE_URL", "postgresql+psycopg://blogsvc@db.example"),
        ("BLOGSVC_DATABASE_URL", "postgresql+psycopg://blogsvc@db.example:port/blogsvc"),
        ("BLOGSVC_BROKER_URL", "https://broker.example"),
        ("BLOGSVC_BROKER_URL", "redis://:pa/ss@broker.example"),
        ("BLOGSVC_BROKER_URL", "redis://:pa[ss@broker.example"),
    ],
)
def test_an_invalid_value_names_its_variable(variable: str, text: str) -> None:
    with pytest.raises(BadSetting, match=variable) as error:
        Config.load({variable: text})
    assert str(error.value).endswith(".")


MAIL = {"BLOGSVC_SMTP_HOST": "mail.example", "BLOGSVC_MAIL_FROM": "blog@blog.example"}
SIGNED_IN = MAIL | {"BLOGSVC_SMTP_USER": "blog", "BLOGSVC_SMTP_PASSWORD": "a ferry in the fog"}


@pytest.mark.parametrize(
    ("environ", "variable"),
    [
        (MAIL | {"BLOGSVC_MAIL_FROM": ""}, "BLOGSVC_MAIL_FROM"),
        (SIGNED_IN | {"BLOGSVC_SMTP_PASSWORD": ""}, "BLOGSVC_SMTP_PASSWORD"),
        (SIGNED_IN | {"BLOGSVC_SMTP_USER": ""}, "BLOGSVC_SMTP_USER"),
        (SIGNED_IN | {"BLOGSVC_SMTP_SECURITY": "none"}, "BLOGSVC_SMTP_SECURITY"),
    ],
)
def test_mail_settings_that_do_not_fit_together_name_the_one_to_mend(environ: dict[str, str], variable: str) -> None:
    with pytest.raises(BadSetting, match=f"^{variable}") as error:
        Config.load(environ)
    assert "ferry" not in str(error.value)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
def test_a_password_may_be_sent_unencrypted_on_this_machine_only(host: str) -> None:
    Config.load(SIGNED_IN | {"BLOGSVC_SMTP_SECURITY": "none", "BLOGSVC_SMTP_HOST": host})
    Config.load(MAIL | {"BLOGSVC_SMTP_SECURITY": "none"})  # without a password to any host


def test_a_broker_needs_postgresql() -> None:
    environ = {"BLOGSVC_BROKER_URL": "amqp://blog:secret@broker.example//"}
    with pytest.raises(BadSetting, match="Set BLOGSVC_DATABASE_URL to a PostgreSQL") as error:
        Config.load(environ)
    assert "secret" not in str(error.value)
    Config.load(environ | {"BLOGSVC_DATABASE_URL": "postgresql+psycopg://127.0.0.1/blog"})


@pytest.mark.parametrize(
    ("settings", "broker"),
    [
        ({"redis_url": "redis://one"}, ""),
        ({"redis_url": "redis://one", "database_url": "postgresql+psycopg://"}, "redis://one"),
        (
            {"redis_url": "redis://one", "database_url": "postgresql+psycopg://", "broker_url": "amqp://two"},
            "amqp://two",
        ),
    ],
)
def test_redis_is_the_broker_on_postgresql_unless_there_is_another(settings: dict[str, str], broker: str) -> None:
    assert Config(**settings).broker == broker


def test_redis_as_the_broker_needs_an_address_that_workers_can_use() -> None:
    environ = {"BLOGSVC_REDIS_URL": "redis+sentinel://:secret@broker.example"}
    Config.load(environ)
    with pytest.raises(BadSetting, match="BLOGSVC_REDIS_URL") as error:
        Config.load(environ | {"BLOGSVC_DATABASE_URL": "postgresql+psycopg://127.0.0.1/blog"})
    assert "secret" not in str(error.value)


def test_an_invalid_secret_is_not_shown() -> None:
    with pytest.raises(BadSetting) as error:
        Config.load({"BLOGSVC_BROKER_URL": "http://blog:secret@broker.example"})
    assert "secret" not in str(error.value)


def test_secrets_are_not_shown_with_the_settings() -> None:
    shown = repr(Config(secret_key="one secret", smtp_password="two secrets", metrics_token="three secrets"))
    assert not any(secret in shown for secret in ("one secret", "two secrets", "three secrets"))


@pytest.mark.parametrize(
    ("settings", "address"),
    [
        ({}, "http://127.0.0.1:8000"),
        ({"host": "0.0.0.0", "port": 80}, "http://127.0.0.1:80"),
        ({"base_url": "https://blog.example/"}, "https://blog.example"),
    ],
)
def test_the_public_url_has_no_trailing_slash(settings: dict[str, Any], address: str) -> None:
    assert Config(**settings).public_url == address


def test_the_database_is_in_the_instance_by_default() -> None:
    assert Config(instance=Path("/srv/blog")).rows_url == "sqlite:////srv/blog/blogsvc.db"
    assert Config(database_url="postgresql://db/blog").rows_url == "postgresql://db/blog"


def test_a_lease_outlasts_any_request() -> None:
    config = Config(send_timeout_seconds=40)
    assert config.lease_seconds > config.send_timeout_seconds


def test_a_checkout_keeps_its_data_in_its_instance_directory() -> None:
    assert Config().instance == ROOT / "instance"


@pytest.mark.parametrize("named", [False, True])
def test_an_installed_package_keeps_its_data_in_the_data_directory_of_the_user(tmp_path: Path, named: bool) -> None:
    packages = tmp_path / "site-packages"
    shutil.copytree(PACKAGE, packages / "blogsvc", ignore=shutil.ignore_patterns("__pycache__"))
    environ = {name: value for name, value in os.environ.items() if not name.startswith("BLOGSVC_")}
    environ |= {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data"), "PYTHONPATH": str(packages)}
    environ |= {"BLOGSVC_INSTANCE": str(tmp_path / "chosen")} if named else {}
    script = "from blogsvc.config import Config; print(Config.load().instance)"
    done = subprocess.run([sys.executable, "-c", script], env=environ, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.strip() == str(tmp_path / ("chosen" if named else "data/blogsvc")), done.stderr


def test_a_misspelt_variable_is_named_with_the_setting_that_was_meant() -> None:
    environ = {"BLOGSVC_THREDS": "8", "BLOGSVC_URL": "https://blog.example", "BLOGSVC_SCHEDULER": "1", "THREADS": "1"}
    assert Config.unknown(environ) == ["BLOGSVC_THREDS is not a setting. Did you mean BLOGSVC_THREADS?"]
    assert Config.unknown({"BLOGSVC_X": ""}) == ["BLOGSVC_X is not a setting."]
