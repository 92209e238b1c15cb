"""`make sbom` lists the contents of an installation, and `make audit` never passes without a result."""

from __future__ import annotations

import json
import os
import re
import subprocess

from blogsvc.config import ROOT
from tests.receiver import free_port


def locked() -> set[str]:
    """Return the packages of requirements.lock for this platform."""
    lines = re.findall(r"^([\w.-]+)==\S+ (?:; (.*) )?", (ROOT / "requirements.lock").read_text(), re.MULTILINE)
    return {name for name, marker in lines if not marker}


def normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_bill_of_materials_lists_every_dependency_with_its_license() -> None:
    subprocess.run(["make", "sbom"], cwd=ROOT, check=True, capture_output=True)
    bill = json.loads((ROOT / "dist" / "sbom.cdx.json").read_text())
    assert bill["bomFormat"] == "CycloneDX"
    assert bill["metadata"]["component"]["name"] == "blogsvc"
    components = {normalized(component["name"]): component for component in bill["components"]}
    assert len(locked()) > 50
    assert set(components) >= {normalized(name) for name in locked()}
    assert not {"pip", "hatchling", "pytest"} & set(components)
    assert [name for name, component in components.items() if not component.get("licenses")] == []


def test_an_audit_without_access_to_the_database_fails_with_a_message() -> None:
    nowhere = f"http://127.0.0.1:{free_port()}"
    environ = os.environ | dict.fromkeys(("HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy"), nowhere)
    environ |= {"NO_PROXY": "", "no_proxy": ""}
    subprocess.run(["make", ".venv/audit.stamp"], cwd=ROOT, check=True, capture_output=True)
    done = subprocess.run(["make", "audit"], cwd=ROOT, env=environ, capture_output=True, text=True)
    assert done.returncode != 0
    assert "Nothing was audited" in done.stderr
