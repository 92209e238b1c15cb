"""blogsvc: write a post once; publish it on your blog and on other platforms, on time and exactly once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogsvc.config import TEMPLATES, Config

if TYPE_CHECKING:
    from flask import Flask

    from blogsvc.context import Tools

# Functions import what they need, so that `blogsvc --help`, which imports this package, starts fast.


def create_app(config: Config | None = None, tools: Tools | None = None) -> Flask:
    """Return the Flask application. Call `require_schema(app)` or `migrate(app)` before it is used."""
    from flask import Flask

    from blogsvc import api, blog, context, web
    from blogsvc.http import body_limits, security_headers
    from blogsvc.lib.workers.text_jobs import requester
    from blogsvc.models import database, db
    from blogsvc.models.database_time import DatabaseTime
    from blogsvc.models.outage import report_outages
    from blogsvc.server import logging, paths, response_cache, static_files
    from blogsvc.server.lazy_rules import LazyRule

    tools = tools or make_tools(config or Config.load())
    config = tools.config
    app = Flask("blogsvc", static_folder=None, template_folder=str(TEMPLATES), instance_path=str(config.instance))
    app.url_rule_class = LazyRule
    app.url_map.merge_slashes = False  # the redirect would repeat the Host header
    app.config.update(
        SQLALCHEMY_DATABASE_URI=config.rows_url,
        SQLALCHEMY_ENGINE_OPTIONS=database.options(
            config.rows_url, config.threads + config.lanes, config.busy_timeout_seconds
        ),
        SECRET_KEY=tools.vault.derive("cookies"),
    )
    # No view and no hook is async, and Flask would look at each of them again for every request.
    app.ensure_sync = lambda func: func  # type: ignore[method-assign]
    context.attach(app, tools)
    app.json = body_limits.Json(app)

    db.init_app(app)
    with app.app_context():
        database.prepare(db.engine, config.busy_timeout_seconds)
        report_outages(db.engine)
        if isinstance(tools.now, DatabaseTime) and db.engine.dialect.name == "postgresql":
            tools.now.follow(db.engine)

    @app.before_request
    def forget_requester() -> None:
        requester.set("")  # a thread keeps that of its last request

    logging.init(app)
    paths.init(app)
    body_limits.init(app)
    security_headers.init(app)
    response_cache.init(app)
    static_files.init(app)
    api.init(app)
    blog.init(app)
    web.init(app)
    if config.metrics_token:
        from blogsvc.server import metrics  # only then: its library takes memory and time

        metrics.init(app)
    if config.trusted_proxies:
        from blogsvc.server.proxies import TrustedProxies

        app.wsgi_app = TrustedProxies(app.wsgi_app, config.trusted_proxies)  # type: ignore[method-assign]
    return app


def make_tools(config: Config) -> Tools:
    """Return the tools of an instance. Creates its data directory and, for a new instance, the key file.

    Raises BadSetting if the directory is not writable or the storage not usable, WrongKey if a key is malformed, and
    CannotStart if files of the instance are missing or HTML would not be cleaned.
    """
    from blogsvc.context import Tools
    from blogsvc.health import startup
    from blogsvc.lib.net.http import HttpClient, Timeout
    from blogsvc.lib.net.smtp import Mailer
    from blogsvc.lib.time import utc_now
    from blogsvc.models.database_time import DatabaseTime

    startup.require_safe_html()
    config.make_instance()
    startup.require_no_stray_log(config)
    if config.media_url:
        config.storage.require_usable()
    vault = startup.open_vault(config)
    if not config.database_url:
        # SQLite would create the file readable for everyone. Its journals get the same mode as the file.
        (config.instance / "blogsvc.db").touch(mode=0o600)
    return Tools(
        config=config,
        vault=vault,
        http=HttpClient(
            allow_private=config.allow_private_addresses, timeout=Timeout.within(config.send_timeout_seconds)
        ),
        mailer=Mailer(
            host=config.smtp_host,
            port=config.smtp_port,
            security=config.smtp_security,
            user=config.smtp_user,
            password=config.smtp_password,
            sender=config.mail_from,
        ),
        now=DatabaseTime() if config.database_url else utc_now,
    )


def migrate(app: Flask, *, new_blog: bool = False, new_key: bool = False) -> str | None:
    """Bring the database to this release's schema, and return the version it had: None if it had none.

    Raises CannotStart if that is not possible; if the database is new and the data directory has images, unless
    `new_blog`; or if another key encrypts its secrets, unless `new_key`.
    """
    from blogsvc.health import startup
    from blogsvc.models import db, schema

    tools = app.extensions["tools"]
    config = tools.config
    with app.app_context(), startup.explained(config):
        state, version = startup.schema_state(db.engine, config), schema.schema_version(db.engine)
        if state == "new" and not new_blog:
            startup.require_no_images(config)
        if state != "current":
            schema.upgrade(db.engine)
        startup.require_key(tools, is_new=new_key)
        return version


def require_schema(app: Flask) -> None:
    """Raise CannotStart if the database does not have this release's schema, or if another key encrypts its secrets.

    Creates the schema in a new database.
    """
    from blogsvc.health import startup
    from blogsvc.models import db, schema

    tools = app.extensions["tools"]
    config = tools.config
    with app.app_context(), startup.explained(config):
        state = startup.schema_state(db.engine, config)
        if state == "old":
            raise startup.CannotStart(startup.outdated(db.engine))
        if state == "new":
            startup.require_no_images(config)
            schema.upgrade(db.engine)
        startup.require_key(tools)


__all__ = ["Config", "create_app", "make_tools", "migrate", "require_schema"]
