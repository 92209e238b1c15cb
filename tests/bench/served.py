"""The service as `blogsvc serve` runs it, with two constant responses for comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import click

from blogsvc.cli import main as commands

ANSWER = b"constant"


def main() -> None:
    commands.get_command(click.Context(commands), "serve")  # imports what it needs, in its own way
    from blogsvc.cli.terminal import the_app
    from blogsvc.models.database import file_of
    from blogsvc.server.granian import serve
    from tests.bench import by_hand

    app = the_app()
    if (file := file_of(app.config["SQLALCHEMY_DATABASE_URI"])) is not None:
        by_hand.init(app, file)
    app.add_url_rule("/constant/view", view_func=lambda: ANSWER.decode())
    inner = app.wsgi_app

    def bare(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"] == "/constant/bare":
            start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(ANSWER)))])
            return [ANSWER]
        return inner(environ, start_response)

    app.wsgi_app = bare  # type: ignore[method-assign]
    serve(app)


if __name__ == "__main__":
    main()
