"""Nostr keys, signatures and identifiers, with the test vectors of BIP 340 and NIP-19."""

from __future__ import annotations

import pytest
from coincurve import PrivateKey, PublicKeyXOnly

from blogsvc.connectors.nostr import bech32
from blogsvc.connectors.nostr.identity import Identity, is_genuine, naddr, values

NSEC = "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5"
SECRET = "67dea2ed018072d675f5415ecfaed7d2597555e202d85b3d65ea4e58d2d92ffa"
# https://github.com/bitcoin/bips/blob/master/bip-0340/test-vectors.csv: secret, public, extra, message, signature
SIGNED = [
    (
        "0000000000000000000000000000000000000000000000000000000000000003",
        "F9308A019258C31049344F85F89D5229B531C845836F99B08601F113BCE036F9",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "E907831F80848D1069A5371B402410364BDF1C5F8307B0084C55F1CE2DCA8215"
        "25F66A4A85EA8B71E482A74F382D2CE5EBEEE8FDB2172F477DF4900D310536C0",
    ),
    (
        "B7E151628AED2A6ABF7158809CF4F3C762E7160F38B4DA56A784D9045190CFEF",
        "DFF1D77F2A671C5F36183726DB2341BE58FEAE1DA2DECED843240F7B502BA659",
        "0000000000000000000000000000000000000000000000000000000000000001",
        "243F6A8885A308D313198A2E03707344A4093822299F31D0082EFA98EC4E6C89",
        "6896BD60EEAE296DB48A229FF71DFE071BDE413E6D43F917DC8DCF8C78DE3341"
        "8906D11AC976ABCCB20B091292BFF4EA897EFCB639EA871CFA95F6DE339E4B0A",
    ),
    (
        "C90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B14E5C9",
        "DD308AFEC5777E13121FA72B9CC1B7CC0139715309B086C960E18FD969774EB8",
        "C87AA53824B4D7AE2EB035A2B5BBBCCC080E76CDC6D1692C4B0B62D798E6D906",
        "7E2D58D8B3BCDF1ABADEC7829054F90DDA9805AAB56C77333024B9D0A508B75C",
        "5831AAEED7B44BB74E5EAB94BA9D4294C49BCF2A60728D8B4C200F50DD313C1B"
        "AB745879A5AD954A72C45A91C3A51D3C7ADEA98D82F8481E0E1E03674A6F3FB7",
    ),
    (
        "0B432B2677937381AEF05BB02A66ECD012773062CF3FA2549E44F58ED2401710",
        "25D1DFF95105F5253C4022F628A996AD3A0D95FBF21D468A1B33F8C160D8F517",
        "FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF",
        "FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF",
        "7EB0509757E246F19449885651611CB965ECC1A187DD51B64FDA1EDC9637D5EC"
        "97582B9CB13DB3933705B32BA982AF5AF25FD78881EBB32771FC5922EFC66EA3",
    ),
]
# Number 12 of the same file: the first half of the signature is not a coordinate.
UNSIGNED = (
    "DFF1D77F2A671C5F36183726DB2341BE58FEAE1DA2DECED843240F7B502BA659",
    "243F6A8885A308D313198A2E03707344A4093822299F31D0082EFA98EC4E6C89",
    "FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEFFFFFC2F"
    "69E89B4C5564D00349106B8497785DD7D1D713A8AE82B32FA79D5F7FC407D39B",
)


@pytest.mark.parametrize(("secret", "public", "extra", "message", "signature"), SIGNED)
def test_signatures_match_bip_340(secret, public, extra, message, signature):
    key, message = PrivateKey(bytes.fromhex(secret)), bytes.fromhex(message)
    assert Identity.of(secret.lower()).public_key == public.lower()
    assert key.sign_schnorr(message, bytes.fromhex(extra)).hex() == signature.lower()
    assert PublicKeyXOnly(bytes.fromhex(public)).verify(bytes.fromhex(signature), message)


def test_a_signature_that_bip_340_rejects_is_rejected():
    public, message, signature = map(bytes.fromhex, UNSIGNED)
    assert not PublicKeyXOnly(public).verify(signature, message)


@pytest.mark.parametrize("text", [NSEC, NSEC.upper(), SECRET, SECRET.upper(), f" {NSEC}\n"])
def test_a_secret_key_is_read_in_every_notation(text):
    assert Identity.of(text).secret.hex() == SECRET
    assert Identity.of(text).spellings == (NSEC, SECRET)


@pytest.mark.parametrize(
    "text",
    ["", "hunter2", NSEC[:-1], NSEC.replace("v", "w"), NSEC[:20] + NSEC[20:].upper(), SECRET[2:], "0" * 64, "f" * 64],
)
def test_an_invalid_secret_key_is_rejected_and_not_repeated(text):
    with pytest.raises(ValueError, match="not a secret key") as caught:
        Identity.of(text)
    assert not text or text not in str(caught.value)


def test_a_public_key_is_not_accepted_as_a_secret_key():
    with pytest.raises(ValueError, match="begins with nsec"):
        Identity.of("npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg")


@pytest.mark.parametrize(
    ("npub", "key"),
    [
        (
            "npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg",
            "7e7e9c42a91bfef19fa929e5fda1b72e0ebc1a4c1141673e2794234d86addf4e",
        ),
        (
            "npub180cvv07tjdrrgpa0j7j7tmnyl2yr6yr7l8j4s3evf6u64th6gkwsyjh6w6",
            "3bf0c63fcb93463407af97a5e5ee64fa883d107ef9e558472c4eb9aaaefa459d",
        ),
    ],
)
def test_public_keys_are_encoded_as_in_nip_19(npub, key):
    assert bech32.encode("npub", bytes.fromhex(key)) == npub
    assert bech32.decode(npub) == ("npub", bytes.fromhex(key))


def test_a_profile_is_decoded_as_in_nip_19():
    prefix, data = bech32.decode(
        "nprofile1qqsrhuxx8l9ex335q7he0f09aej04zpazpl0ne2cgukyawd24mayt8gpp4mhxue69uhhytnc9e3k7mgpz4mhxue69uhkg6nzv9ej"
        "uumpv34kytnrdaksjlyr9p"
    )
    key = bytes.fromhex("3bf0c63fcb93463407af97a5e5ee64fa883d107ef9e558472c4eb9aaaefa459d")
    assert prefix == "nprofile"
    assert data == b"\x00\x20" + key + b"\x01\x0dwss://r.x.com" + b"\x01\x15wss://djbas.sadkb.com"


def test_an_article_has_the_same_naddr_as_in_other_clients():
    relays = ["nostr-pub.wellorder.net", "nostr.mom", "nos.lol", "nostr.wine", "relay.nostr.bg"]
    key = "6e468422dfb74a5738702a8823b9b28168abab8655faacb6853cd0ee15deee93"
    assert naddr(30023, key, "1680612926599", [f"wss://{relay}/" for relay in relays]) == (
        "naddr1qqxnzd3cxqmrzv3exgmr2wfeqy08wumn8ghj7mn0wd68yttsw43zuam9d3kx7unyv4ezumn9wshszyrhwden5te0dehhxarj9ekk7mf0"
        "qy88wumn8ghj7mn0wvhxcmmv9uq3zamnwvaz7tmwdaehgu3wwa5kuef0qy2hwumn8ghj7un9d3shjtnwdaehgu3wvfnj7q3qdergggklka99ww"
        "rs92yz8wdjs952h2ux2ha2ed598ngwu9w7a6fsxpqqqp65wy2vhhv"
    )


def test_a_relay_url_too_long_for_a_hint_is_left_out():
    key = "6e468422dfb74a5738702a8823b9b28168abab8655faacb6853cd0ee15deee93"
    assert naddr(30023, key, "a", ["wss://" + "x" * 300]) == naddr(30023, key, "a")


def test_signing_the_same_content_at_the_same_time_gives_the_same_event():
    identity = Identity.of(NSEC)
    first, second = (identity.sign(1, 1_800_000_000, [["t", "trees"]], "Of “trees” 🌳\n") for _ in range(2))
    assert first == second
    assert is_genuine(first)
    assert values(first, "t") == ["trees"]
    assert identity.sign(1, 1_800_000_001, [["t", "trees"]], "Of “trees” 🌳\n")["id"] != first["id"]


@pytest.mark.parametrize(
    "change",
    [
        {"content": "Of bushes"},
        {"id": "0" * 64},
        {"sig": "00"},
        {"sig": "zz" * 64},
        {"pubkey": "0" * 64},
        {"pubkey": None},
        {"created_at": "1800000000"},
        {"created_at": True},
        {"tags": [["t", 7]]},
        {"tags": "t"},
        {"kind": -1},
        {"content": "\ud800"},
    ],
)
def test_a_modified_event_is_not_genuine(change):
    event = Identity.of(NSEC).sign(1, 1_800_000_000, [], "Of trees")
    assert not is_genuine({**event, **change})


@pytest.mark.parametrize("what", [None, [], "event", {}, {"id": "0" * 64}])
def test_an_invalid_event_is_not_genuine(what):
    assert not is_genuine(what)


def test_the_secret_does_not_appear_in_the_repr():
    assert SECRET not in repr(Identity.of(NSEC))
    assert repr(bytes.fromhex(SECRET)) not in repr(Identity.of(NSEC))
