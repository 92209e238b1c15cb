"""The registry of connectors."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

from blogsvc.connectors import connector, connectors
from blogsvc.connectors.base import Connector, Misconfigured
from blogsvc.connectors.folder.connector import Folder
from blogsvc.connectors.site import SiteConnector
from blogsvc.connectors.webhook import WebhookConnector
from tests.connectors.contract import Contract


def test_every_module_with_a_connector_is_found():
    assert {"site": SiteConnector, "webhook": WebhookConnector, "folder": Folder}.items() <= connectors().items()


def test_the_interface_itself_is_not_registered():
    assert Connector not in connectors().values()


def test_a_connector_is_in_the_module_or_package_of_its_platform():
    for key, found in connectors().items():
        if found.__module__.startswith("blogsvc."):
            platform, _, _variant = key.partition("-")
            assert found.__module__.split(".")[2] == platform


@pytest.mark.parametrize("key", sorted(key for key, kind in connectors().items() if not kind.is_local))
def test_every_connector_has_a_contract_test(key):
    module = import_module(f"tests.connectors.test_{key.replace('-', '_')}")
    contracts = [one for one in vars(module).values() if isinstance(one, type) and issubclass(one, Contract)]
    assert any(one.__module__ == module.__name__ for one in contracts)


@pytest.mark.parametrize("key", sorted(key for key, kind in connectors().items() if not kind.is_local))
def test_every_connector_has_a_one_sentence_description(key):
    about = connector(key).about
    assert about.endswith(".")
    assert 20 < len(about) <= 100


def test_looking_up_one_connector_imports_no_other_platform():
    script = (
        "import sys; from blogsvc.connectors import connector; connector('slack-hook');"
        "print([name for name in ('mastodon', 'nostr', 'telegram') if f'blogsvc.connectors.{name}' in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_an_unknown_connector_says_what_to_do():
    with pytest.raises(Misconfigured, match="install"):
        connector("friendster")


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

    def test_a_package_cannot_replace_a_built_in_connector(self, tmp_path, monkeypatch):
        self.install(tmp_path, monkeypatch, self.CODE.format("webhook"))
        assert connector("webhook") is WebhookConnector

    @pytest.mark.parametrize("code", ["raise RuntimeError('broken')", "Forum = 7"])
    def test_a_broken_package_does_not_affect_other_connectors(self, tmp_path, monkeypatch, caplog, code):
        self.install(tmp_path, monkeypatch, code)
        assert "forum" not in connectors()
        assert "webhook" in connectors()
        assert "forum_connector" in caplog.text
