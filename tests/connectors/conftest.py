"""Shared fixture of connector tests: an outside world with the image of the article."""

from __future__ import annotations

import pytest

from tests.connectors.contract import AN_IMAGE
from tests.images import png
from tests.outside import Outside


@pytest.fixture
def outside() -> Outside:
    world = Outside()
    world.teach("GET", AN_IMAGE, body=png(), headers={"Content-Type": "image/png"})
    return world
