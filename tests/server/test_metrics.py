"""/metrics, as Prometheus reads it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from flask.testing import FlaskClient
from prometheus_client.parser import text_string_to_metric_families

from blogsvc.config import ROOT
from blogsvc.models import Post
from tests.api_client import Api
from tests.clock import Time

TOKEN = "a-token-of-the-test"
HEADERS = {"Authorization": f"Bearer {TOKEN}"}
with_metrics = pytest.mark.settings(metrics_token=TOKEN)


def read(client: FlaskClient) -> dict[str, float]:
    """Return the value of each sample, by its name with its labels."""
    answer = client.get("/metrics", headers=HEADERS)
    assert answer.status_code == 200
    samples = (sample for family in text_string_to_metric_families(answer.text) for sample in family.samples)
    return {
        f"{one.name}{{{','.join(f'{k}={v}' for k, v in sorted(one.labels.items()))}}}": one.value for one in samples
    }


@with_metrics
def test_the_metrics_show_posts_deliveries_and_the_scheduler(
    api: Api,
    client: FlaskClient,
    a_post: Callable[..., Post],
    connect: Callable[..., str],
    tick: Callable[[], None],
    time: Time,
) -> None:
    a_post()
    a_post(live=True, platforms=["site", connect()])
    tick()
    time.passes(seconds=30)
    found = read(client)
    assert (found["blogsvc_posts{status=draft}"], found["blogsvc_posts{status=published}"]) == (1, 1)
    assert found["blogsvc_deliveries{state=delivered}"] == 2
    assert found["blogsvc_connections{state=connected}"] == 1
    assert found["blogsvc_overdue_posts{}"] == 0
    assert found["blogsvc_scheduler_idle_seconds{}"] == 30
    assert found["process_resident_memory_bytes{}"] > 0


@with_metrics
def test_requests_are_counted_by_method_area_and_status(api: Api, client: FlaskClient) -> None:
    before = read(client)
    api.get("/posts")
    api.get("/posts/none")
    for _ in range(3):
        client.get("/")
    after = read(client)
    counted = {name: value - before.get(name, 0) for name, value in after.items() if value != before.get(name, 0)}
    assert counted["blogsvc_http_requests_total{area=api,method=GET,status=200}"] == 1
    assert counted["blogsvc_http_requests_total{area=api,method=GET,status=404}"] == 1
    assert counted["blogsvc_http_requests_total{area=blog,method=GET,status=200}"] == 3
    assert counted["blogsvc_http_request_duration_seconds_count{area=api}"] == 2


@with_metrics
@pytest.mark.parametrize("header", ["", "Bearer wrong", "Bearer \u00e9", f"Basic {TOKEN}"])
def test_metrics_need_their_token(client: FlaskClient, header: str) -> None:
    answer = client.get("/metrics", headers={"Authorization": header})
    assert (answer.status_code, "posts" in answer.text) == (401, False)


@with_metrics
def test_metrics_are_refused_over_plain_http_from_other_machines(client: FlaskClient) -> None:
    answer = client.get("/metrics", headers=HEADERS, environ_base={"REMOTE_ADDR": "203.0.113.9"})
    assert answer.status_code == 403


def test_without_a_token_there_are_no_metrics(client: FlaskClient) -> None:
    assert client.get("/metrics", headers=HEADERS).status_code == 404


@with_metrics
def test_the_dashboard_shows_metrics_that_exist(client: FlaskClient) -> None:
    names = re.findall("^# TYPE (\\w+) ", client.get("/metrics", headers=HEADERS).text, re.MULTILINE)
    dashboard = json.loads((ROOT / "docs" / "grafana-dashboard.json").read_text())
    asked = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    assert len(asked) >= len(dashboard["panels"]) > 0
    for expression in asked:
        assert any(name in expression for name in names), expression
