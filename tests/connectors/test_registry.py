"""The registry of connectors."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

from blogsvc.connectors import connector, connectors
from blogsvc.connectors.base import Connector, Misconfigured
from blogsvc.connectors.by_hand import ByHand, Medium
from blogsvc.connectors.folder.connector import Folder
from blogsvc.connectors.site import SiteConnector
from blogsvc.connectors.webhook import WebhookConnector
from tests.connectors.contract import Contract
from tests.connectors.test_by_hand import ByHandContract

BY_HAND = {
    "beehiiv",
    "facebook",
    "hackernews",
    "hashnode",
    "instagram",
    "linkedin",
    "medium",
    "pinterest",
    "reddit",
    "substack",
    "threads",
    "tumblr",
    "website",
    "x",
}
# Keys of connectors that a package by third parties could try to replace.
BUILT_IN = {"webhook": WebhookConnector, "medium": Medium}


def test_every_module_with_a_connector_is_found():
    assert {"site": SiteConnector, "webhook": WebhookConnector, "folder": Folder}.items() <= connectors().items()


def test_the_interface_itself_is_not_registered():
    assert not {Connector, ByHand} & set(connectors().values())


def test_a_connector_is_in_the_module_or_package_of_its_platform():
    for key, found in connectors().items():
        if found.__module__.startswith("blogsvc."):
            platform, _, _variant = key.partition("-")
            assert found.__module__.split(".")[2] == ("by_hand" if key in BY_HAND else platform)


def test_a_platform_by_hand_is_found_under_its_own_key():
    assert connector("medium") is Medium
    assert {key for key, kind in connectors().items() if kind.can("hand_over")} == BY_HAND
    for key in BY_HAND:
        assert connector(key).key == key


@pytest.mark.parametrize("key", sorted(key for key, kind in connectors().items() if not kind.is_local))
def test_every_connector_has_a_contract_test(key):
    name, contract = ("by_hand", ByHandContract) if key in BY_HAND else (key.replace("-", "_"), Contract)
    module = import_module(f"tests.connectors.test_{name}")
    contracts = [one for one in vars(module).values() if isinstance(one, type) and issubclass(one, contract)]
    ours = [one for one in contracts if one.__module__ == module.__name__ and one.__name__.startswith("Test")]
    # One module tests all platforms by hand, with a contract for each.
    assert any(key not in BY_HAND or one.kind is connector(key) for one in ours)


@pytest.mark.parametrize("key", sorted(key for key, kind in connectors().items() if not kind.is_local))
def test_every_connector_has_a_one_sentence_description(key):
    about = connector(key).about
    assert about.endswith(".")
    assert 20 < len(about) <= 100


@pytest.mark.parametrize(("key", "module"), [("slack-hook", "slack"), ("medium", "by_hand")])
def test_looking_up_one_connector_imports_no_other_platform(key, module):
    script = (
        f"import sys; from blogsvc.connectors import connector; connector('{key}');"
        "names = ('by_hand', 'mastodon', 'nostr', 'slack', 'telegram');"
        "print([name for name in names if f'blogsvc.connectors.{name}' in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == f"['{module}']\n"


@pytest.mark.parametrize("key", ["friendster", "by_hand", "medium-hook"])
def test_an_unknown_connector_says_what_to_do(key):
    with pytest.raises(Misconfigured, match="install"):
        connector(key)


class TestThirdParties:
    """A third-party package adds a connector with an entry point."""

    @pytest.fixture(autouse=True)
    def fresh(self):
        connectors.cache_clear()
        yield
        connectors.cache_clear()

    def install(self, directory, monkeypatch, code, entry="forum = forum_connector:Forum"):
        (directory / "forum_connector.py").write_text(code)
        info = directory / "forum_connector-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: forum-connector\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[blogsvc.connectors]\n{entry}\n")
        monkeypatch.syspath_prepend(directory)
        monkeypatch.delitem(__import__("sys").modules, "forum_connector", raising=False)

    CODE = (
        "from blogsvc.connectors.base import Connector\nclass Forum(Connector):\n    key = '{}'\n    label = 'Forum'\n"
    )

    def test_an_installed_package_can_add_a_connector(self, tmp_path, monkeypatch):
        self.install(tmp_path, monkeypatch, self.CODE.format("forum"))
        assert connector("forum").label == "Forum"

    @pytest.mark.parametrize("key", sorted(BUILT_IN))
    def test_a_package_cannot_replace_a_built_in_connector(self, tmp_path, monkeypatch, key):
        self.install(tmp_path, monkeypatch, self.CODE.format(key))
        assert connector(key) is BUILT_IN[key]

    @pytest.mark.parametrize("code", ["raise RuntimeError('broken')", "Forum = 7"])
    def test_a_broken_package_does_not_affect_other_connectors(self, tmp_path, monkeypatch, caplog, code):
        self.install(tmp_path, monkeypatch, code)
        assert "forum" not in connectors()
        assert "webhook" in connectors()
        assert "forum_connector" in caplog.text
