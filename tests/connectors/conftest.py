"""Shared fixture of connector tests: an outside world with the image of the article."""

from __future__ import annotations

import pytest

from tests.connectors.contract import A_PICTURE
from tests.outside import Outside
from tests.pictures import png


@pytest.fixture
def outside() -> Outside:
    world = Outside()
    world.teach("GET", A_PICTURE, body=png(), headers={"Content-Type": "image/png"})
    return world
