"""The table of error codes lists every code that can occur, and nothing else."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from blogsvc.api.framework.requests import ERROR_MESSAGES
from blogsvc.connectors.base import Broken, ConnectorError, Unavailable, Uncertain, Unreachable
from blogsvc.errors import ERROR_CODES
from blogsvc.lib.images import SENTENCES
from tests.test_layers import MODULES, name_of

# Converts pydantic errors with ERROR_MESSAGES.
TRANSLATES = "blogsvc.api.framework.requests"
# Converts errors of an image with SENTENCES.
TELLS = "blogsvc.media.images"
# Converts the error codes of a platform that rejects new settings.
PASSES_ON = "blogsvc.connections.verify"


@cache
def code_arguments(file: Path) -> list[tuple[str, ast.expr]]:
    """Return each place where an error is created, with its code argument."""
    text = file.read_text()
    return list(_code_arguments(file, text)) if re.search(r"\b(Fault|refuse)\b", text) else []


def _code_arguments(file: Path, text: str) -> Iterator[tuple[str, ast.expr]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            where, given = f"{name_of(file)}:{node.lineno}", {word.arg: word.value for word in node.keywords}
            if node.func.id == "Fault":
                yield where, node.args[1] if len(node.args) > 1 else given["code"]
            elif node.func.id == "refuse":
                yield where, node.args[0]


def possible_codes(code: ast.expr) -> list[str]:
    """Return the codes that an expression can have; empty if they are only known at run time."""
    options = [code.body, code.orelse] if isinstance(code, ast.IfExp) else [code]
    return [option.value for option in options if isinstance(option, ast.Constant) and isinstance(option.value, str)]


def rejection_errors(kind: type[ConnectorError]) -> Iterator[type[ConnectorError]]:
    """Yield the errors that settings may have caused, without outages of a platform and faults of a connector."""
    for error in kind.__subclasses__():
        if error.__module__ == ConnectorError.__module__ and error not in (Broken, Unavailable, Uncertain):
            yield error
            yield from rejection_errors(error)
    if kind is ConnectorError:
        yield Unreachable


def test_the_table_of_error_codes_matches_the_codes_used() -> None:
    found = {code: where for file in MODULES for where, given in code_arguments(file) for code in possible_codes(given)}
    found |= {code: TRANSLATES for code, _ in ERROR_MESSAGES.values()} | {"invalid": TRANSLATES}
    found |= dict.fromkeys(SENTENCES, TELLS)
    found |= dict.fromkeys((error.code for error in rejection_errors(ConnectorError)), PASSES_ON)
    assert {code: where for code, where in found.items() if code not in ERROR_CODES} == {}, "codes without a meaning"
    assert set(ERROR_CODES) - set(found) == set(), "codes that nothing uses"


def test_error_codes_are_literals_where_they_are_used() -> None:
    hidden = [where for file in MODULES for where, given in code_arguments(file) if not possible_codes(given)]
    assert [where for where in hidden if not where.startswith((f"{TRANSLATES}:", f"{TELLS}:", f"{PASSES_ON}:"))] == []


def test_each_error_code_has_a_full_sentence_as_its_meaning() -> None:
    assert [code for code, meaning in ERROR_CODES.items() if not (meaning[0].isupper() and meaning.endswith("."))] == []
    assert list(ERROR_CODES) == sorted(ERROR_CODES)
