"""Password hashes."""

from __future__ import annotations

from argon2 import extract_parameters

from blogsvc.lib import passwords


def test_an_unknown_account_costs_as_much_as_a_known_one() -> None:
    real = passwords.hashed("correct horse battery")

    assert extract_parameters(passwords._NOBODY) == extract_parameters(real)
    assert len(passwords._NOBODY) == len(real)
    assert not passwords.is_right("correct horse battery", None)
    assert passwords.is_right("correct horse battery", real)
