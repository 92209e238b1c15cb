"""Passwords: which are refused, and their hashes."""

from __future__ import annotations

import subprocess
import sys

import pytest
from argon2 import Parameters, extract_parameters
from argon2.profiles import RFC_9106_LOW_MEMORY

from blogsvc.lib import passwords

HASH = "from blogsvc.lib.passwords import hashed; print(hashed('correct horse battery'))"


def test_the_costs_are_those_of_the_rfc() -> None:
    assert costs_outside_of_the_tests() == RFC_9106_LOW_MEMORY


def costs_outside_of_the_tests() -> Parameters:
    """Return the costs of a hash in a process of its own: the tests hash with less."""
    done = subprocess.run([sys.executable, "-c", HASH], check=True, stdout=subprocess.PIPE, text=True)
    return extract_parameters(done.stdout.strip())


def test_an_unknown_account_costs_as_much_as_a_known_one() -> None:
    real = passwords.hashed("correct horse battery")

    assert extract_parameters(passwords.hash_of_nobody()) == extract_parameters(real)
    assert len(passwords.hash_of_nobody()) == len(real)
    assert not passwords.is_right("correct horse battery", None)
    assert passwords.is_right("correct horse battery", real)


@pytest.mark.parametrize(
    "password",
    ["1234567890", "QwertyUiop", "q1w2e3r4t5y6", "password2026!", "2026Sunshine", "!!Dragon1234", "Passw\u1d52rd1234"],
)
def test_a_common_password_is_refused_in_any_case_and_with_digits_and_signs_around_it(password: str) -> None:
    assert "many people use it" in (passwords.weakness(password) or "")


@pytest.mark.parametrize(
    "password",
    [
        "ann-lee@home.example",
        "Ann Lee 2026!",
        "annlee-annlee",
        "BLOGSVC-2026",
        "ink and paper",
        "The harbour, Ann",
        "blogsvcblogsvc",
    ],
)
def test_a_password_made_of_what_an_attacker_knows_is_refused(password: str) -> None:
    known = ("ann-lee@home.example", "Ann Lee", "Ink and paper: the harbour")
    assert "it repeats your name" in (passwords.weakness(password, *known) or "")


@pytest.mark.parametrize(
    "password",
    [
        "a ferry in the fog",
        "correct horse battery",
        "kq7#zP0!vXw2",
        "Ann likes the old lighthouse",
        "пароль для парома",
    ],
)
def test_any_other_password_of_ten_characters_is_accepted(password: str) -> None:
    assert passwords.weakness(password, "ann@blog.example", "Ann", "A blog") is None


@pytest.mark.parametrize("password", ["short one", "x1!Y" * 51])
def test_a_password_has_10_to_200_characters(password: str) -> None:
    assert "10 to 200 characters" in (passwords.weakness(password) or "")
