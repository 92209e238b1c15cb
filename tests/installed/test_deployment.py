"""The examples of docs/deploy, read with the parsers and schemas of the programs that they are for."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import fields
from importlib.metadata import version
from pathlib import Path
from typing import Any

import compose_spec
import crossplane
import kubernetes_validate
import promql_parser
import pytest
import yaml

from blogsvc.config import ROOT, Config
from tests.containerfile import stages

EXAMPLES = ROOT / "docs" / "deploy"
IMAGE = stages()[1]
VARIABLES = {field.metadata["variable"] for field in fields(Config)}
KUBERNETES = "1.30"  # the oldest version that the example names
STOPS_WITHIN = 2 * Config().grace_seconds  # seconds


def documents(name: str) -> list[Any]:
    return list(yaml.safe_load_all((EXAMPLES / name).read_text()))


def manifests(kind: str) -> Iterator[Any]:
    yield from (document for document in documents("kubernetes.yaml") if document["kind"] == kind)


@pytest.fixture(params=["compose.yaml", "docs/deploy/compose.yaml"])
def compose(request: pytest.FixtureRequest) -> Any:
    return yaml.safe_load((ROOT / request.param).read_text())


def test_the_compose_files_follow_the_specification(compose: Any) -> None:
    compose_spec.PyCompose.from_json(json.dumps(compose))
    next(iter(compose["services"].values()))["replica"] = 2
    with pytest.raises(ValueError, match="replica"):
        compose_spec.PyCompose.from_json(json.dumps(compose))


def test_the_cluster_of_the_compose_file_uses_the_image_with_settings_that_exist() -> None:
    (compose,) = documents("compose.yaml")
    services = [service for service in compose["services"].values() if "build" in service]
    assert [service["deploy"]["replicas"] for service in services] == [2, 2]
    for service in services:
        context = EXAMPLES / service["build"]["context"]
        assert (context / service["build"]["dockerfile"]).samefile(ROOT / "Containerfile")
        assert service["image"] == f"blogsvc:{version('blogsvc')}"
        assert set(service["environment"]) <= VARIABLES
        assert int(service["stop_grace_period"].removesuffix("s")) > STOPS_WITHIN
        assert service["read_only"]
        assert service["cap_drop"] == ["ALL"]
        (shared,) = service["volumes"]
        assert service["environment"]["BLOGSVC_MEDIA_URL"] == f"file://{shared.partition(':')[2]}"
        owned = " ".join(step.words for step in IMAGE.all("RUN"))
        assert f" {shared.partition(':')[2]}" in owned, "a new volume gets the owner that the image gives its directory"


def test_the_manifests_follow_the_schemas_of_kubernetes() -> None:
    found = documents("kubernetes.yaml")
    for document in found:
        kubernetes_validate.validate(document, KUBERNETES, strict=True)
    found[-1]["spec"]["rule"] = []
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(found[-1], KUBERNETES, strict=True)


def test_the_manifests_fit_together_and_to_the_image() -> None:
    (settings,), (secrets,) = manifests("ConfigMap"), manifests("Secret")
    names = set(settings["data"]) | set(secrets["stringData"])
    assert {name for name in names if name.startswith("BLOGSVC_")} <= VARIABLES
    (service,) = manifests("Service")
    selected = []
    for deployment in manifests("Deployment"):
        pod = deployment["spec"]["template"]
        (container,) = pod["spec"]["containers"]
        assert container["image"].endswith(f"/blogsvc:{version('blogsvc')}")
        assert pod["spec"]["securityContext"]["runAsUser"] == int(IMAGE.one("USER").words)
        assert pod["spec"]["terminationGracePeriodSeconds"] > STOPS_WITHIN
        assert {mount["mountPath"] for mount in container["volumeMounts"]} == {IMAGE.one("VOLUME").words, "/tmp"}
        if service["spec"]["selector"].items() <= pod["metadata"]["labels"].items():
            (port,) = container["ports"]
            assert str(port["containerPort"]) == IMAGE.environment["PORT"]
            selected.append(deployment["metadata"]["name"])
    assert selected == ["blogsvc-server"]


@pytest.mark.parametrize("name", ["nginx.conf", "nginx-compose.conf"])
def test_nginx_knows_every_directive(name: str, tmp_path: Path) -> None:
    site = (EXAMPLES / name).read_text()
    assert errors_of(site, tmp_path) == []
    assert errors_of(site.replace("least_conn;", "least_connections;"), tmp_path)


def errors_of(site: str, folder: Path) -> list[Any]:
    file = folder / "nginx.conf"
    file.write_text(f"events {{}}\nhttp {{\n{site}}}\n")
    found: list[Any] = crossplane.parse(str(file), strict=True)["errors"]
    return found


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_reads_the_units_without_a_warning(tmp_path: Path) -> None:
    units = tmp_path / "units"
    shutil.copytree(EXAMPLES / "systemd", units)
    for unit in units.glob("*.service"):
        started = re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", unit.read_text(), flags=re.MULTILINE)
        unit.write_text(started)
    names = [unit.name.replace("@", "@1") for unit in units.glob("*.service")]
    assert len(names) == 3
    done = verify(units, names)
    assert (done.returncode, done.stderr) == (0, "")
    (units / "blogsvc-.service.d" / "all.conf").write_text("[Service]\nNoNewPrivilege=yes\n")
    assert "NoNewPrivilege" in verify(units, names).stderr, "the units share this file"


def verify(units: Path, names: list[str]) -> subprocess.CompletedProcess[str]:
    command = ["systemd-analyze", "verify", "--man=no", *names]
    environ = os.environ | {"SYSTEMD_UNIT_PATH": f"{units}:"}
    return subprocess.run(command, env=environ, capture_output=True, text=True)


def test_prometheus_reads_every_alert_and_every_metric_is_one_of_ours() -> None:
    (rules,) = documents("alerts.yaml")
    sources = (ROOT / "blogsvc" / "server" / "metrics.py").read_text()
    for group in rules["groups"]:
        for rule in group["rules"]:
            promql_parser.parse(rule["expr"])
            assert {"summary", "action"} == set(rule["annotations"])
            for name in re.findall(r"blogsvc_\w+", rule["expr"]):
                assert f'"{re.sub("_(total|bucket)$", "", name)}"' in sources, name
