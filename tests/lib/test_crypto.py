"""Encryption, API keys and signatures."""

import secrets
import string
import subprocess
import sys
from zlib import crc32

import pytest
from cryptography.fernet import Fernet

from blogsvc.lib.crypto import (
    BadSignature,
    Vault,
    WrongKey,
    hash_key,
    looks_like_key,
    make_key,
    sign,
    unsign,
    write_keys,
)

TOKEN = "hunter2-ümlaut"


def test_a_vault_decrypts_what_it_encrypted(tmp_path):
    vault = Vault.open(tmp_path / "key")
    assert vault.unseal(vault.seal(TOKEN)) == TOKEN
    assert TOKEN.encode() not in vault.seal(TOKEN)


def test_a_reopened_vault_decrypts_what_it_encrypted_before(tmp_path):
    sealed = Vault.open(tmp_path / "key").seal(TOKEN)
    assert Vault.open(tmp_path / "key").unseal(sealed) == TOKEN


def test_the_key_file_is_readable_by_the_owner_only_and_no_temporary_file_is_left(tmp_path):
    Vault.open(tmp_path / "new" / "key")
    assert (tmp_path / "new" / "key").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["key"]


def test_processes_that_start_concurrently_agree_on_one_key(tmp_path):
    code = (
        "import sys; from pathlib import Path; from blogsvc.lib.crypto import Vault; sys.stdin.read(1);"
        f"Vault.open(Path({str(tmp_path / 'key')!r})); print(Path({str(tmp_path / 'key')!r}).read_text())"
    )
    starters = [
        subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(2)
    ]
    for starter in starters:
        starter.stdin.write(b"x")
        starter.stdin.flush()
    assert len({starter.communicate()[0] for starter in starters}) == 1
    assert all(starter.returncode == 0 for starter in starters)


def test_a_key_created_by_another_process_is_kept(tmp_path, monkeypatch):
    path = tmp_path / "key"
    theirs, random = Fernet.generate_key().decode(), secrets.token_bytes

    def they_are_first(size):
        path.write_text(theirs)
        return random(size)

    monkeypatch.setattr("secrets.token_bytes", they_are_first)
    Vault.open(path)
    assert path.read_text() == theirs
    assert list(tmp_path.iterdir()) == [path]


def test_a_vault_with_another_key_raises_wrong_key_with_advice(tmp_path):
    sealed = Vault.open(tmp_path / "ours").seal(TOKEN)
    stranger = Vault.open(tmp_path / "theirs")
    for attempt in (stranger.unseal, stranger.rotate):
        with pytest.raises(WrongKey, match="put that key back"):
            attempt(sealed)


def test_a_modified_token_is_rejected(tmp_path):
    vault = Vault.open(tmp_path / "key")
    sealed = bytearray(vault.seal(TOKEN))
    sealed[20] ^= 1
    with pytest.raises(WrongKey):
        vault.unseal(bytes(sealed))


@pytest.mark.parametrize("content", ["", "not a key", "a" * 44])
def test_a_damaged_key_file_is_named_in_the_error(tmp_path, content):
    (tmp_path / "key").write_text(content)
    with pytest.raises(WrongKey, match="key"):
        Vault.open(tmp_path / "key")


def test_rotation_encrypts_with_the_new_key(tmp_path):
    (tmp_path / "old").write_text(old := Fernet.generate_key().decode())
    sealed = Vault.open(tmp_path / "old").seal(TOKEN)
    both = Vault.open(tmp_path / "new", extra_keys=(old,))
    assert both.unseal(sealed) == TOKEN
    assert Vault.open(tmp_path / "new").unseal(both.rotate(sealed)) == TOKEN


def test_a_vault_derives_one_key_per_purpose(tmp_path):
    ours, theirs = Vault.open(tmp_path / "ours"), Vault.open(tmp_path / "theirs")
    assert ours.derive("cookies") == Vault.open(tmp_path / "ours").derive("cookies")
    assert len({ours.derive("cookies"), ours.derive("cursors"), theirs.derive("cookies")}) == 3
    assert len(ours.derive("cookies")) == 32


def test_a_key_file_can_contain_several_keys_newest_first(tmp_path):
    old, new = Fernet.generate_key().decode(), Fernet.generate_key().decode()
    (tmp_path / "key").write_text(f"{new}\n{old}\n")
    vault = Vault.open(tmp_path / "key")
    assert vault.unseal(Fernet(old).encrypt(b"x")) == "x"
    assert Fernet(new).decrypt(vault.seal("y")) == b"y"


def test_a_replaced_key_file_takes_effect_at_once(tmp_path):
    old, new = Fernet.generate_key().decode(), Fernet.generate_key().decode()
    (tmp_path / "key").write_text(old)
    vault = Vault.open(tmp_path / "key")
    before, derived = vault.seal(TOKEN), vault.derive("cookies")

    write_keys(tmp_path / "key", [new, old])
    assert Fernet(new).decrypt(vault.seal(TOKEN)).decode() == TOKEN
    write_keys(tmp_path / "key", [new])
    assert vault.unseal(before) == TOKEN, "it was read before it was encrypted again"
    assert vault.derive("cookies") == derived

    (tmp_path / "key").unlink()
    assert Fernet(new).decrypt(vault.seal(TOKEN)).decode() == TOKEN


def test_an_api_key_has_the_expected_format():
    key = make_key()
    assert len(key) == 44
    assert key.startswith("bsk_")
    assert looks_like_key(key)
    assert make_key() != key


def test_the_checksum_is_crc32_in_base62():
    digits = string.digits + string.ascii_uppercase + string.ascii_lowercase
    body, checksum = make_key()[4:38], make_key()[38:]
    assert not looks_like_key(f"bsk_{body}{checksum}")
    number = crc32(body.encode())
    checksum = "".join(digits[number // 62**place % 62] for place in reversed(range(6)))
    assert looks_like_key(f"bsk_{body}{checksum}")


def test_every_single_character_typo_is_detected():
    key = make_key()
    for place in range(len(key)):
        other = "A" if key[place] != "A" else "B"
        assert not looks_like_key(key[:place] + other + key[place + 1 :])


@pytest.mark.parametrize("text", ["", "bsk_", "bsk_" + "0" * 39, "bsk_" + "０" * 40])
def test_other_texts_do_not_look_like_keys(text):
    assert not looks_like_key(text)
    assert not looks_like_key(make_key() + "\n")


def test_a_key_is_stored_as_its_sha_256_hash():
    assert hash_key("abc").hex() == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_signed_data_can_be_read_again():
    data = bytes(range(256))
    text = sign(data, b"key")
    assert unsign(text, b"key") == data
    assert all(character.isalnum() or character in "-_." for character in text)


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t[1:],
        lambda t: t[:-1],
        lambda t: "A" + t,
        lambda t: "",
        lambda t: ".",
        lambda t: "ü",
        lambda t: "\ud800",
    ],
)
def test_a_forged_signature_is_rejected(change):
    with pytest.raises(BadSignature):
        unsign(change(sign(b"page 2", b"key")), b"key")


def test_a_signature_with_another_key_is_rejected():
    with pytest.raises(BadSignature):
        unsign(sign(b"page 2", b"key"), b"other")
