"""How long a delivery waits: until the next attempt, and until its copy is looked up."""

from __future__ import annotations

from datetime import timedelta

from blogsvc.lib.back_off import BackOff

DELIVERY_BACK_OFF = BackOff(tuple(timedelta(seconds=s) for s in (10, 60, 300, 1800, 7200, 21600, 43200)), jitter=0.2)
# Time for a platform to show what it accepted, before the copy is looked up: after a broken connection, and after no
# answer in time, when the platform is slow or a proxy holds the request.
LOOKUP_DELAY, LATE_LOOKUP_DELAY = timedelta(seconds=10), timedelta(seconds=30)
# Time until the second lookup after an unknown result: platforms may show a new copy late. Then the author is asked.
SECOND_LOOKUP = timedelta(seconds=60)
