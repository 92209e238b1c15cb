"""The examples of docs/deploy, read with the parsers and schemas of the programs that they are for."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Container, Iterator
from dataclasses import fields
from importlib.metadata import version
from pathlib import Path
from typing import Any, get_args

import compose_spec
import crossplane
import kubernetes_validate
import promql_parser
import pytest
import yaml

from blogsvc import create_app, require_schema
from blogsvc.config import ROOT, Config
from blogsvc.models.delivery_states import DELIVERY_MOVES
from blogsvc.scheduler.presence import Role
from blogsvc.server.metrics import AREAS
from tests.containerfile import stages

EXAMPLES = ROOT / "docs" / "deploy"
IMAGE = stages()[1]
VARIABLES = {field.metadata["variable"] for field in fields(Config)}
KUBERNETES = "1.30"  # the oldest version that the example names
STOPS_WITHIN = 2 * Config().grace_seconds  # seconds
LABELS: dict[str, Container[str]] = {
    "job": ["blogsvc"],
    "area": [*AREAS.values(), "blog"],
    "role": get_args(Role),
    "state": [*DELIVERY_MOVES, "disconnected"],
}


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
        waits = container.get("lifecycle", {}).get("preStop", {"sleep": {"seconds": 0}})["sleep"]["seconds"]
        assert pod["spec"]["terminationGracePeriodSeconds"] > STOPS_WITHIN + waits
        assert pod["spec"]["enableServiceLinks"] is False, "BLOGSVC_PORT would look like a setting"
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
    # That of docs/running.md has a name for which the shared file is, too.
    documented = (ROOT / "docs" / "running.md").read_text()
    (unit,) = re.findall(r"/(blogsvc-backup.service)`:\n\n```ini\n(.*?)```", documented, re.DOTALL)
    (units / unit[0]).write_text(re.sub(r"^(Exec\w+)=\S+", r"\1=/bin/true", unit[1], flags=re.MULTILINE))
    names.append(unit[0])
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
            for label, value in re.findall(r'(\w+)!?="([^"]*)"', rule["expr"]):
                assert value in LABELS[label], value


def test_a_server_behind_a_proxy_answers_prometheus(tmp_path: Path) -> None:
    (settings,) = documents("prometheus.yaml")
    (scrape,) = settings["scrape_configs"]
    assert settings["rule_files"] == ["alerts.yaml"]
    config = Config(instance=tmp_path, trusted_proxies=1, metrics_token=scrape["authorization"]["credentials"])
    app = create_app(config)
    require_schema(app)
    said = {name: values["values"][0] for name, values in scrape["http_headers"].items()}
    said["Authorization"] = f"Bearer {scrape['authorization']['credentials']}"
    answer = app.test_client().get("/metrics", headers=said)
    assert answer.status_code == 200
    assert "blogsvc_overdue_posts 0.0" in answer.text
    only_token = {"Authorization": said["Authorization"]}
    assert app.test_client().get("/metrics", headers=only_token).status_code == 403
