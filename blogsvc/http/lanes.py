"""Lanes: a thread of its own for each kind of costly work, so that many such requests hold up nothing else.

A view enters a lane after it has checked who asks, so nobody can fill a lane with requests that are refused.
"""

from __future__ import annotations

from typing import Literal, get_args

from flask import request

# "sign-in" hashes a password (0.1 s of CPU time and 64 MiB). "costly" is for previews and long texts: up to half a
# second in Python, and more in the processes of `lib/workers/text_jobs.py`.
Lane = Literal["sign-in", "costly"]
LANES: tuple[Lane, ...] = get_args(Lane)

# The key of the WSGI environment for the lane of this call; "" for the other threads. Missing on servers without lanes.
LANE = "blogsvc.lane"


class LaneWanted(BaseException):
    """Raised where the costly work of a request begins. The server calls the application again in that lane."""

    def __init__(self, lane: Lane) -> None:
        self.lane = lane


def enter(lane: Lane) -> None:
    """Continue in this lane. Call it before anything is changed: the view begins again there."""
    if request.environ.get(LANE, lane) != lane:
        raise LaneWanted(lane)
