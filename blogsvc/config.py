"""Every setting: its environment variable, its default and one sentence. Nothing else reads the environment."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, ClassVar

from platformdirs import user_data_path

PACKAGE = Path(__file__).resolve().parent
ROOT = PACKAGE.parent  # the repository's top level; in an installed package, the directory that holds the package
IS_CHECKOUT = (ROOT / "pyproject.toml").is_file() and (ROOT / "templates").is_dir()

# The files of the package that are not Python. A wheel carries them inside the package.
_FILES = ROOT if IS_CHECKOUT else PACKAGE
TEMPLATES, STATIC, DOCS = _FILES / "templates", _FILES / "static", _FILES / "docs"
MIGRATIONS = PACKAGE / "migrations"
# The data directory, if BLOGSVC_INSTANCE is not set.
INSTANCE = ROOT / "instance" if IS_CHECKOUT else user_data_path("blogsvc", appauthor=False)

WRITABLE = "Set BLOGSVC_INSTANCE to a writable directory."


class BadSetting(ValueError):
    """A setting that cannot be used. The message names its variable and what to write instead."""


def _setting(variable: str, default: Any, sentence: str) -> Any:
    return field(default=default, metadata={"variable": variable, "sentence": sentence})


@dataclass(frozen=True)
class Config:
    """The settings of one instance. `Config.load()` reads them from the environment."""

    TRUE: ClassVar[frozenset[str]] = frozenset({"1", "true", "yes", "on"})
    FALSE: ClassVar[frozenset[str]] = frozenset({"0", "false", "no", "off"})

    host: str = _setting("HOST", "127.0.0.1", "The address to listen on; 0.0.0.0 is every one.")
    port: int = _setting("PORT", 8000, "The port to listen on.")
    instance: Path = _setting("BLOGSVC_INSTANCE", INSTANCE, "The data directory: database, key file, images.")
    database_url: str = _setting(
        "BLOGSVC_DATABASE_URL", "", "Where the rows live; empty is blogsvc.db in the instance folder."
    )
    base_url: str = _setting(
        "BLOGSVC_BASE_URL", "", "The blog's public address; empty is http://HOST:PORT, for trying out."
    )
    secret_key: str = _setting(
        "BLOGSVC_SECRET_KEY",
        "",
        "Seals secrets, signs cookies: 44 characters of base64, newest first; empty makes one.",
    )
    threads: int = _setting("BLOGSVC_THREADS", 4, "How many requests are worked on at once.")
    lanes: int = _setting("BLOGSVC_LANES", 32, "How many connections are delivered to at once.")
    trusted_proxies: int = _setting(
        "BLOGSVC_TRUSTED_PROXIES", 0, "How many proxies in front set X-Forwarded-*; others' are ignored."
    )
    allow_http: bool = _setting(
        "BLOGSVC_ALLOW_HTTP", False, "Answer the API over plain HTTP to others than this machine."
    )
    allow_private_addresses: bool = _setting(
        "BLOGSVC_ALLOW_PRIVATE_ADDRESSES", False, "Let connections reach loopback and home-network addresses."
    )
    folders: tuple[str, ...] = _setting(
        "BLOGSVC_FOLDERS",
        (),
        "Directories, separated by commas, below which connections may write; empty is folders/ in the instance.",
    )
    cors_origins: tuple[str, ...] = _setting(
        "BLOGSVC_CORS_ORIGINS", (), "Origins, separated by commas, whose pages may call the API."
    )
    redis_url: str = _setting("BLOGSVC_REDIS_URL", "", "Shares rate limits between processes; empty counts in memory.")
    reads_per_minute: int = _setting("BLOGSVC_READS_PER_MINUTE", 300, "API reads a minute for each key.")
    writes_per_minute: int = _setting("BLOGSVC_WRITES_PER_MINUTE", 60, "API writes a minute for each key.")
    publishes_per_minute: int = _setting("BLOGSVC_PUBLISHES_PER_MINUTE", 20, "API publishes a minute for each key.")
    bad_keys_per_minute: int = _setting(
        "BLOGSVC_BAD_KEYS_PER_MINUTE", 30, "Failed authentications a minute for each address."
    )
    sign_ins_per_minute: int = _setting(
        "BLOGSVC_SIGN_INS_PER_MINUTE", 10, "Attempts to sign in a minute, for each account and for each address."
    )
    clock: bool = _setting("BLOGSVC_CLOCK", True, "Publish and deliver from inside the server; off where cron ticks.")
    missed_after_hours: float = _setting(
        "BLOGSVC_MISSED_AFTER_HOURS", 24.0, "A post overdue by more than this is asked about, not published."
    )
    give_up_after_hours: float = _setting(
        "BLOGSVC_GIVE_UP_AFTER_HOURS", 24.0, "A delivery that keeps failing is given up after this."
    )
    send_timeout_seconds: float = _setting(
        "BLOGSVC_SEND_TIMEOUT_SECONDS",
        20.0,
        "The most that one request to a platform may take; all requests of one attempt may take twice that.",
    )
    grace_seconds: float = _setting(
        "BLOGSVC_GRACE_SECONDS", 25.0, "How long a stopping server waits for what is in flight."
    )
    busy_timeout_seconds: float = _setting(
        "BLOGSVC_BUSY_TIMEOUT_SECONDS", 5.0, "How long a write waits for the database's lock before it answers 503."
    )
    import_mib: int = _setting("BLOGSVC_IMPORT_MIB", 100, "The largest file that an import takes, in MiB.")
    import_unpacked_mib: int = _setting(
        "BLOGSVC_IMPORT_UNPACKED_MIB", 1000, "How much an import reads of a zip, unpacked, in MiB."
    )
    import_posts: int = _setting("BLOGSVC_IMPORT_POSTS", 10_000, "The most posts that one import brings in.")
    import_pictures: int = _setting("BLOGSVC_IMPORT_PICTURES", 5_000, "The most pictures that one import takes in.")
    log_json: bool = _setting("BLOGSVC_LOG_JSON", False, "Write the log as one JSON object a line.")

    @classmethod
    def load(cls, environ: Mapping[str, str] = os.environ) -> Config:
        """Settings from the environment. Raises BadSetting, naming the variable."""
        values = {f.name: cls._read(f, environ) for f in fields(cls) if environ.get(f.metadata["variable"], "").strip()}
        return cls(**values)

    @classmethod
    def _read(cls, f: Any, environ: Mapping[str, str]) -> Any:
        variable = f.metadata["variable"]
        text = environ[variable].strip()
        try:
            return cls._parse(text, f.default)
        except ValueError as error:
            kind = type(f.default).__name__
            raise BadSetting(f"{variable}={text!r} is not a usable {kind}. {f.metadata['sentence']}") from error

    @classmethod
    def _parse(cls, text: str, default: Any) -> Any:
        if isinstance(default, bool):
            if text.lower() not in cls.TRUE | cls.FALSE:
                raise ValueError(text)
            return text.lower() in cls.TRUE
        if isinstance(default, tuple):
            return tuple(part.strip() for part in text.split(",") if part.strip())
        if isinstance(default, Path):
            return Path(text).expanduser().resolve()
        value = type(default)(text)
        if isinstance(value, int | float) and not 0 <= value < float("inf"):
            raise ValueError(text)
        return value

    @property
    def public_url(self) -> str:
        """The blog's address without a trailing slash."""
        host = "127.0.0.1" if self.host in ("0.0.0.0", "::") else self.host  # noqa: S104
        host = f"[{host}]" if ":" in host else host
        return (self.base_url or f"http://{host}:{self.port}").rstrip("/")

    @property
    def rows_url(self) -> str:
        """The database, as SQLAlchemy names it."""
        return self.database_url or f"sqlite:///{self.instance / 'blogsvc.db'}"

    def make_instance(self) -> None:
        """Create the data directory if it does not exist. Raises BadSetting if it is not a writable directory."""
        try:
            self.instance.mkdir(parents=True, exist_ok=True, mode=0o700)
            if not os.access(self.instance, os.W_OK | os.X_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        except OSError as error:
            raise BadSetting(f"Cannot open the data directory {self.instance}: {error.strerror}. {WRITABLE}") from error

    @property
    def media(self) -> Path:
        """Where uploaded pictures lie. Several servers of one database must share it."""
        return self.instance / "media"

    @property
    def folder_roots(self) -> tuple[Path, ...]:
        """The directories that a connection's directory must lie below, or be."""
        return tuple(Path(folder).expanduser() for folder in self.folders) or (self.instance / "folders",)

    @property
    def errand_seconds(self) -> float:
        """How long all requests of one attempt may take together; nothing is sent after that."""
        return self.send_timeout_seconds * 2

    @property
    def lease_seconds(self) -> float:
        """How long a delivery may be `sending` before its outcome counts as unknown: longer than any errand."""
        return self.send_timeout_seconds * 2.5
