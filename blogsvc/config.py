"""Settings: the environment variable, default and description of each. No other module reads the environment."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, ClassVar

from platformdirs import user_data_path

from blogsvc.lib.files import private_files
from blogsvc.lib.instance_paths import InstancePaths
from blogsvc.lib.setting_checks import (
    BadSetting,
    Check,
    bad_setting,
    check_blog_url,
    check_broker_url,
    check_database_url,
    check_host_name,
    check_mail_address,
    check_media_url,
    check_port,
    one_of,
    suggestion,
)
from blogsvc.lib.setting_combinations import require_cluster_settings, require_mail_settings

PACKAGE = Path(__file__).resolve().parent
ROOT = PACKAGE.parent  # the repository's top level; in an installed package, the directory that holds the package
IS_CHECKOUT = (ROOT / "pyproject.toml").is_file() and (ROOT / "templates").is_dir()

# The files of the package that are not Python. A wheel carries them inside the package.
_FILES = ROOT if IS_CHECKOUT else PACKAGE
TEMPLATES, STATIC, DOCS = _FILES / "templates", _FILES / "static", _FILES / "docs"
MIGRATIONS = PACKAGE / "migrations"
# The setting that error messages name.
ALLOW_PRIVATE = "BLOGSVC_ALLOW_PRIVATE_ADDRESSES"
# The data directory, if BLOGSVC_INSTANCE is not set.
INSTANCE = ROOT / "instance" if IS_CHECKOUT else user_data_path("blogsvc", appauthor=False)

WRITABLE = "Set BLOGSVC_INSTANCE to a writable directory."


# Variables of the client libraries, which `blogsvc post` reads as well.
CLIENT_VARIABLES = frozenset({"BLOGSVC_URL", "BLOGSVC_API_KEY"})


def _setting(
    variable: str, default: Any, description: str, check: Check = lambda _value: None, *, is_secret: bool = False
) -> Any:
    metadata = {"variable": variable, "description": description, "check": check}
    return field(default=default, repr=not is_secret, metadata=metadata)


@dataclass(frozen=True)
class Config(InstancePaths):
    """The settings of one instance. `Config.load()` reads them from the environment."""

    TRUE: ClassVar[frozenset[str]] = frozenset({"1", "true", "yes", "on"})
    FALSE: ClassVar[frozenset[str]] = frozenset({"0", "false", "no", "off"})
    KINDS: ClassVar[Mapping[type, str]] = {
        bool: "true or false",
        int: "a whole number, 0 or more",
        float: "a number, 0 or more",
    }

    host: str = _setting("HOST", "127.0.0.1", "Address to listen on; 0.0.0.0 listens on all interfaces.")
    port: int = _setting("PORT", 8000, "Port to listen on.", check_port)
    instance: Path = _setting("BLOGSVC_INSTANCE", INSTANCE, "Data directory: database, key file, images.")
    database_url: str = _setting(
        "BLOGSVC_DATABASE_URL",
        "",
        "URL of a PostgreSQL: postgresql+psycopg://USER:PASSWORD@HOST/DATABASE; the default is SQLite.",
        check_database_url,
        is_secret=True,
    )
    base_url: str = _setting(
        "BLOGSVC_BASE_URL",
        "",
        "Public URL of the blog; defaults to http://HOST:PORT, which only suits local use.",
        check_blog_url,
    )
    secret_key: str = _setting(
        "BLOGSVC_SECRET_KEY",
        "",
        "Keys that encrypt secrets and sign cookies: 44 base64 characters each, newest first; generated if empty.",
        is_secret=True,
    )
    threads: int = _setting(
        "BLOGSVC_THREADS", 4, "Number of worker threads, each handling one request at a time; one is left for reads."
    )
    lanes: int = _setting("BLOGSVC_LANES", 32, "Number of connections that receive deliveries at the same time.")
    trusted_proxies: int = _setting(
        "BLOGSVC_TRUSTED_PROXIES", 0, "Number of proxies whose X-Forwarded-* headers are trusted; 0 ignores them."
    )
    allow_http: bool = _setting(
        "BLOGSVC_ALLOW_HTTP", False, "Allow the dashboard and API keys over plain HTTP from other machines."
    )
    allow_private_addresses: bool = _setting(
        ALLOW_PRIVATE, False, "Allow connections to loopback and private network addresses."
    )
    folders: tuple[str, ...] = _setting(
        "BLOGSVC_FOLDERS",
        (),
        "Directories that connections may write to, separated by commas; defaults to folders/ in the data directory.",
    )
    cors_origins: tuple[str, ...] = _setting(
        "BLOGSVC_CORS_ORIGINS", (), "Origins that may call the API from a browser, separated by commas."
    )
    media_url: str = _setting(
        "BLOGSVC_MEDIA_URL",
        "",
        "Where images and files to import are kept: s3://BUCKET/PREFIX, or file:///DIRECTORY, which servers share;"
        " defaults to the data directory.",
        check_media_url,
    )
    redis_url: str = _setting(
        "BLOGSVC_REDIS_URL",
        "",
        "Redis URL: processes share rate limits. With PostgreSQL, they also tell each other what they change, and it is"
        " the broker for workers if BLOGSVC_BROKER_URL is empty.",
        is_secret=True,
    )
    broker_url: str = _setting(
        "BLOGSVC_BROKER_URL",
        "",
        "URL of the RabbitMQ or Redis through which servers and schedulers tell workers what to send.",
        check_broker_url,
        is_secret=True,
    )
    reads_per_minute: int = _setting("BLOGSVC_READS_PER_MINUTE", 300, "API reads per minute and key.")
    writes_per_minute: int = _setting("BLOGSVC_WRITES_PER_MINUTE", 60, "API writes per minute and key.")
    publishes_per_minute: int = _setting("BLOGSVC_PUBLISHES_PER_MINUTE", 20, "API publishes per minute and key.")
    bad_keys_per_minute: int = _setting(
        "BLOGSVC_BAD_KEYS_PER_MINUTE", 30, "Failed API authentications per minute and network."
    )
    sign_ins_per_minute: int = _setting(
        "BLOGSVC_SIGN_INS_PER_MINUTE",
        10,
        "Sign-in attempts per minute for each account, network and known browser; 4 times as many failures an hour.",
    )
    posts_per_day: int = _setting(
        "BLOGSVC_POSTS_PER_DAY", 1000, "New posts per day and user or API key, without imports; 0 is no limit."
    )
    upload_mib_per_day: int = _setting(
        "BLOGSVC_UPLOAD_MIB_PER_DAY", 2048, "Uploaded images per day and user or API key, in MiB; 0 is no limit."
    )
    media_mib: int = _setting(
        "BLOGSVC_MEDIA_MIB", 20_480, "Maximum size of all images in full size together, in MiB; 0 is no limit."
    )
    scheduler: bool = _setting(
        "BLOGSVC_SCHEDULER",
        True,
        "Run the scheduler in one of the server's processes; turn it off if `blogsvc scheduler` or cron does its work.",
    )
    missed_after_hours: float = _setting(
        "BLOGSVC_MISSED_AFTER_HOURS",
        24.0,
        "Hours after which an overdue post waits for a decision instead of being published.",
    )
    give_up_after_hours: float = _setting(
        "BLOGSVC_GIVE_UP_AFTER_HOURS", 24.0, "Hours after which a delivery that keeps failing is no longer retried."
    )
    stage_minutes: float = _setting(
        "BLOGSVC_STAGE_MINUTES",
        10.0,
        "Minutes before its time at which a scheduled post becomes a draft on platforms that have drafts; 0 for never.",
    )
    client_timeout_seconds: float = _setting(
        "BLOGSVC_CLIENT_TIMEOUT_SECONDS",
        20.0,
        "How long a client may take to send a request and keep a connection idle, in seconds, at least 1. A body gets "
        "another second for each 16 KiB. A client may stop receiving for three times as long.",
    )
    send_timeout_seconds: float = _setting(
        "BLOGSVC_SEND_TIMEOUT_SECONDS",
        20.0,
        "Timeout of one request to a platform, in seconds, of which connecting may take 5; all requests of one attempt "
        "may take twice as long.",
    )
    grace_seconds: float = _setting(
        "BLOGSVC_GRACE_SECONDS",
        25.0,
        "How long a stopping server waits for requests and deliveries, in seconds.",
    )
    busy_timeout_seconds: float = _setting(
        "BLOGSVC_BUSY_TIMEOUT_SECONDS",
        5.0,
        "How long a write waits for the database lock before it fails with 503, in seconds.",
    )
    import_mib: int = _setting("BLOGSVC_IMPORT_MIB", 100, "Maximum size of an import file, in MiB.")
    import_unpacked_mib: int = _setting(
        "BLOGSVC_IMPORT_UNPACKED_MIB", 1000, "Maximum unpacked size of an import archive, in MiB."
    )
    import_posts: int = _setting("BLOGSVC_IMPORT_POSTS", 10_000, "Maximum number of posts in one import.")
    import_images: int = _setting("BLOGSVC_IMPORT_IMAGES", 5_000, "Maximum number of images in one import.")
    keep_views_days: int = _setting(
        "BLOGSVC_KEEP_VIEWS_DAYS",
        90,
        "Days after which single page views and hourly figures are deleted, at least 2; daily figures stay. Fewer"
        " days are kept if the table of single views is nearly full (2,700,000 rows).",
    )
    keep_events_days: int = _setting(
        "BLOGSVC_KEEP_EVENTS_DAYS",
        365,
        "Days after which events of a post are deleted, at least 30; the latest of each delivery stay.",
    )
    keep_attempts_days: int = _setting(
        "BLOGSVC_KEEP_ATTEMPTS_DAYS",
        365,
        "Days after which attempts of finished deliveries are deleted; the latest of each delivery stays.",
    )
    keep_revisions_days: int = _setting(
        "BLOGSVC_KEEP_REVISIONS_DAYS",
        365,
        "Days after which revisions are deleted; the newest 100 of each post and those in use stay.",
    )
    smtp_host: str = _setting(
        "BLOGSVC_SMTP_HOST", "", "Mail server that sends notices to users; no e-mail if empty.", check_host_name
    )
    smtp_port: int = _setting(
        "BLOGSVC_SMTP_PORT", 587, "Port of the mail server: usually 587 for starttls, 465 for tls.", check_port
    )
    smtp_security: str = _setting(
        "BLOGSVC_SMTP_SECURITY",
        "starttls",
        "How the connection to the mail server is encrypted: `starttls`, `tls` from the start, or `none`.",
        one_of("starttls", "tls", "none"),
    )
    smtp_user: str = _setting("BLOGSVC_SMTP_USER", "", "User at the mail server; no authentication if empty.")
    smtp_password: str = _setting(
        "BLOGSVC_SMTP_PASSWORD", "", "Password of that user. Only sent over an encrypted connection.", is_secret=True
    )
    mail_from: str = _setting(
        "BLOGSVC_MAIL_FROM", "", "Sender of e-mails, an address that the mail server accepts.", check_mail_address
    )
    metrics_token: str = _setting(
        "BLOGSVC_METRICS_TOKEN",
        "",
        "Token that monitoring sends to read /metrics and /health/all; neither is there if empty.",
        is_secret=True,
    )
    log_json: bool = _setting("BLOGSVC_LOG_JSON", False, "Write the log as JSON, one object per line.")

    @classmethod
    def load(cls, environ: Mapping[str, str] = os.environ) -> Config:
        """Read the settings from the environment. Raises BadSetting."""
        values = {f.name: cls._read(f, environ) for f in fields(cls) if environ.get(f.metadata["variable"], "").strip()}
        config = cls(**values)
        require_mail_settings(config)
        require_cluster_settings(config)
        return config

    @classmethod
    def _read(cls, f: Any, environ: Mapping[str, str]) -> Any:
        variable = f.metadata["variable"]
        text = environ[variable].strip()
        try:
            value = cls._parse(text, f.default)
        except ValueError as error:
            raise bad_setting(variable, text, cls.KINDS[type(f.default)]) from error
        if (wanted := f.metadata["check"](value)) is not None:
            raise bad_setting(variable, text if f.repr else "...", wanted)
        return value

    @classmethod
    def unknown(cls, environ: Mapping[str, str] = os.environ) -> list[str]:
        """Return a sentence for each variable that looks like a setting and is none."""
        known = {f.metadata["variable"] for f in fields(cls)} | CLIENT_VARIABLES
        found = sorted(name for name in environ if name.startswith("BLOGSVC_") and name not in known)
        return [f"{name} is not a setting.{suggestion(name, known)}" for name in found]

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
        """The public URL of the blog, without a trailing slash."""
        host = "127.0.0.1" if self.host in ("0.0.0.0", "::") else self.host  # noqa: S104
        host = f"[{host}]" if ":" in host else host
        return (self.base_url or f"http://{host}:{self.port}").rstrip("/")

    @property
    def is_on_postgresql(self) -> bool:
        return bool(self.database_url)

    @property
    def broker(self) -> str:
        """The URL of the broker between schedulers and workers. Empty with SQLite, where there are no workers."""
        return (self.broker_url or self.redis_url) if self.is_on_postgresql else ""

    @property
    def rows_url(self) -> str:
        """The database URL for SQLAlchemy."""
        return self.database_url or f"sqlite:///{self.instance / 'blogsvc.db'}"

    def make_instance(self) -> None:
        """Create the data directory if it does not exist, and close it and its directories to other users.

        Raises BadSetting if it is not a writable directory.
        """
        try:
            private_files.make_directory(self.instance)
            for directory in self.private_directories:
                private_files.close_directory(directory)
            for directory in (self.instance, self.backups):
                private_files.remove_abandoned(directory)
            if not os.access(self.instance, os.W_OK | os.X_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        except OSError as error:
            raise BadSetting(f"Cannot open the data directory {self.instance}: {error.strerror}. {WRITABLE}") from error

    @property
    def folder_roots(self) -> tuple[Path, ...]:
        """The directories that connections may write to, including their subdirectories."""
        return tuple(Path(folder).expanduser() for folder in self.folders) or (self.instance / "folders",)

    @property
    def client_patience(self) -> float:
        """How long a client may take to send a request, in seconds."""
        return max(1.0, self.client_timeout_seconds)

    @property
    def attempt_seconds(self) -> float:
        """The total time limit for all requests of one attempt."""
        return self.send_timeout_seconds * 2

    @property
    def lease_seconds(self) -> float:
        """How long a delivery may be `sending` before its outcome counts as unknown. Longer than any attempt."""
        return self.send_timeout_seconds * 2.5
