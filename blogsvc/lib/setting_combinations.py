"""Checks of settings that must fit together."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from blogsvc.lib.setting_checks import BadSetting, bad_setting, check_broker_url

if TYPE_CHECKING:
    from blogsvc.config import Config

# What the extra `cluster` installs (pyproject.toml).
CLUSTER_PACKAGES = ("celery", "redis")


def require_mail_settings(config: Config) -> None:
    """Raise BadSetting if the settings for e-mail don't fit together."""
    if not config.smtp_host:
        return
    from blogsvc.lib.net.ip_rules import is_loopback  # only then: most starts don't need it

    if not config.mail_from:
        raise BadSetting("BLOGSVC_MAIL_FROM is not set. Set it to the address that e-mails are sent from.")
    if bool(config.smtp_user) != bool(config.smtp_password):
        missing = "BLOGSVC_SMTP_PASSWORD" if config.smtp_user else "BLOGSVC_SMTP_USER"
        raise BadSetting(f"{missing} is not set. Set BLOGSVC_SMTP_USER and BLOGSVC_SMTP_PASSWORD, or neither.")
    if config.smtp_password and config.smtp_security == "none" and not is_loopback(config.smtp_host):
        raise BadSetting(
            "BLOGSVC_SMTP_SECURITY=none would send the password unencrypted. Set BLOGSVC_SMTP_SECURITY to starttls"
            " or tls."
        )


def require_cluster_settings(config: Config) -> None:
    """Raise BadSetting if a cluster can't work with the other settings or the installed packages."""
    if config.broker_url and not config.is_on_postgresql:
        raise BadSetting(
            "BLOGSVC_BROKER_URL is set, and the database is SQLite, which workers on other machines can't use. Set"
            " BLOGSVC_DATABASE_URL to a PostgreSQL, or remove BLOGSVC_BROKER_URL."
        )
    variable = "BLOGSVC_BROKER_URL" if config.broker_url else "BLOGSVC_REDIS_URL"
    needed = CLUSTER_PACKAGES if config.broker else ("redis",) if config.redis_url else ()
    if not all(map(find_spec, needed)):
        raise BadSetting(f"{variable} needs packages that are missing: install {' '.join(needed)} beside blogsvc.")
    if config.storage_is_remote and not find_spec("boto3"):
        raise BadSetting("BLOGSVC_MEDIA_URL needs a package that is missing: install boto3 beside blogsvc.")
    if config.broker and (wanted := check_broker_url(config.broker)) is not None:
        raise bad_setting(variable, "...", wanted)
