"""Routes whose functions for building addresses are compiled when they are first used.

Werkzeug compiles two functions for each route while the application is created, which takes most of that time. Few of
them are used by a process that answers API requests or serves the blog.
"""

from __future__ import annotations

from collections.abc import Callable

from werkzeug.routing import Rule

Build = Callable[..., tuple[str, str]]


class LazyRule(Rule):
    def _compile_builder(self, append_unknown: bool = True) -> Build:
        compiled: list[Build] = []

        def build(rule: Rule, **values: object) -> tuple[str, str]:
            if not compiled:
                compiled.append(Rule._compile_builder(self, append_unknown))
            return compiled[0](rule, **values)

        return build
