"""blogsvc: write a post once; publish it on your blog and on other platforms, on time and exactly once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogsvc.config import MIGRATIONS, TEMPLATES, Config

if TYPE_CHECKING:
    from flask import Flask

    from blogsvc.context import Tools
    from blogsvc.lib.crypto import Vault

# Functions import what they need, so that `blogsvc --help`, which imports this package, starts fast.


def create_app(config: Config | None = None, tools: Tools | None = None) -> Flask:
    """Return the Flask application. Call `migrate(app)` to update its database schema."""
    from flask import Flask
    from flask_migrate import Migrate
    from werkzeug.middleware.proxy_fix import ProxyFix

    from blogsvc import api, blog, context, web
    from blogsvc.models import database, db
    from blogsvc.server import logging, response_cache, security_headers, static_files
    from blogsvc.server.lazy_rules import LazyRule

    tools = tools or make_tools(config or Config.load())
    config = tools.config
    app = Flask("blogsvc", static_folder=None, template_folder=str(TEMPLATES), instance_path=str(config.instance))
    app.url_rule_class = LazyRule
    app.config.update(
        SQLALCHEMY_DATABASE_URI=config.rows_url,
        SQLALCHEMY_ENGINE_OPTIONS=database.options(
            config.rows_url, config.threads + config.lanes, config.busy_timeout_seconds
        ),
        MAX_CONTENT_LENGTH=api.MAX_BODY,
        SECRET_KEY=tools.vault.derive("cookies"),
    )
    # No view and no hook is async, and Flask would look at each of them again for every request.
    app.ensure_sync = lambda func: func  # type: ignore[method-assign]
    context.attach(app, tools)
    app.json.sort_keys = False  # type: ignore[attr-defined]

    db.init_app(app)
    with app.app_context():
        database.prepare(db.engine, config.busy_timeout_seconds)
    Migrate(app, db, directory=str(MIGRATIONS), render_as_batch=True)

    logging.init(app)
    security_headers.init(app)
    response_cache.init(app)
    static_files.init(app)
    api.init(app)
    blog.init(app)
    web.init(app)
    if config.trusted_proxies:
        hops = config.trusted_proxies
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=hops, x_proto=hops, x_host=hops)  # type: ignore[method-assign]
    return app


def make_tools(config: Config) -> Tools:
    """Return the tools of an instance. Creates its data directory. Raises BadSetting if that fails."""
    from blogsvc.context import Tools
    from blogsvc.lib.net.http import HttpClient, Timeout

    config.make_instance()
    if not config.database_url:
        # SQLite would create the file readable for everyone. Its journals get the same mode as the file.
        (config.instance / "blogsvc.db").touch(mode=0o600)
    return Tools(
        config=config,
        vault=_vault(config),
        door=HttpClient(
            allow_private=config.allow_private_addresses, timeout=Timeout.within(config.send_timeout_seconds)
        ),
    )


def _vault(config: Config) -> Vault:
    from blogsvc.lib.crypto import Vault

    if config.secret_key:
        return Vault(config.secret_key.split(), "BLOGSVC_SECRET_KEY")
    return Vault.open(config.instance / "secret.key")


def migrate(app: Flask) -> None:
    """Bring the database to this release's schema."""
    from flask_migrate import upgrade

    with app.app_context():
        upgrade()


__all__ = ["Config", "create_app", "make_tools", "migrate"]
