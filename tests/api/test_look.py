"""The look of the blog in the API."""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.api.faults import faults
from tests.api_client import Api

DEFAULT = {"color": "#0b5c80", "scheme": "auto", "face": "harbour", "width": "normal", "layout": "list", "css": ""}


def test_the_look_is_read_and_replaced(api: Api, client: FlaskClient) -> None:
    stored = api.get("/blog/look").json
    assert stored == {
        **DEFAULT,
        "linkColors": [
            {"scheme": "light", "color": "#0b5c80", "contrast": 6.21, "note": ""},
            {
                "scheme": "dark",
                "color": "#7fc6e2",
                "contrast": 7.94,
                "note": "On dark pages links are shown in #7fc6e2, because #0b5c80 would be hard to read.",
            },
        ],
    }
    wanted = {
        "color": "#7FFF00",
        "scheme": "light",
        "face": "sans",
        "width": "wide",
        "layout": "cards",
        "css": "a { b: c }",
    }
    answer = api.put("/blog/look", **wanted)
    assert answer.status_code == 200
    assert answer.json == api.get("/blog/look").json
    (light,) = answer.json["linkColors"]
    assert light["scheme"] == "light"
    assert light["contrast"] >= 4.5
    assert (answer.json["color"], answer.json["css"]) == ("#7fff00", "a { b: c }")
    with client.get("/theme.css") as sheet:
        assert f"light-dark({light['color']}, #7fff00)" in sheet.text
        assert "@layer owner {\na { b: c }\n}" in sheet.text


def test_the_look_can_be_sent_as_it_was_read(api: Api) -> None:
    stored = api.get("/blog/look").json
    assert api.put("/blog/look", **stored).json == stored


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"color": "blue"}, "invalid"),
        ({"face": "comic"}, "not_one_of"),
        ({"width": None}, "not_one_of"),
        ({"layout": "grid"}, "not_one_of"),
        ({"scheme": "sepia"}, "not_one_of"),
        ({"css": "@import 'x';"}, "invalid"),
        ({"css": "a" * 65_537}, "too_long"),
        ({"css": None}, "wrong_type"),
    ],
)
def test_a_wrong_look_is_refused_at_its_field(change: dict[str, Any], code: str, api: Api) -> None:
    (name,) = change
    assert faults(api.put("/blog/look", **{**DEFAULT, **change})) == {f"#/{name}": code}
    assert api.get("/blog/look").json["color"] == "#0b5c80"


def test_a_fault_in_the_css_names_its_line(api: Api) -> None:
    answer = api.put("/blog/look", **{**DEFAULT, "css": "a { }\nb { background: url(//other.example) }\nc { d }"})
    (error,) = answer.json["errors"]
    assert error["detail"].startswith("`css`: Line 2: “//other.example”")


def test_empty_lines_before_the_css_count(api: Api) -> None:
    answer = api.put("/blog/look", **{**DEFAULT, "css": "\n\r\n\na { }\nb { background: url(//other.example) }"})
    (error,) = answer.json["errors"]
    assert error["detail"].startswith("`css`: Line 5: ")


def test_the_look_is_replaced_as_a_whole(api: Api) -> None:
    assert faults(api.put("/blog/look", color="#0b5c80")) == {
        f"#/{name}": "required" for name in DEFAULT if name != "color"
    }


def test_a_look_that_changed_meanwhile_is_not_replaced(api: Api) -> None:
    etag = api.get("/blog/look").headers["ETag"]
    api.put("/blog/look", **{**DEFAULT, "width": "wide"})
    assert api.put("/blog/look", headers={"If-Match": etag}, **DEFAULT).status_code == 412
