"""A proxy in front of a real server that holds the request that creates a copy, and passes it on when it is told to.

    proxy = HoldingProxy(lambda request: request.method == "POST")
    http = HttpClient(allow_private=True, transport=proxy)
    proxy.holds_next()           # the next creation gets no answer in time
    proxy.passes_on()            # it arrives now

It answers for the proxy at once with a timeout, so that no test waits for one. The time of the test decides how long
the request was held.
"""

from __future__ import annotations

from collections.abc import Callable

import httpx2


class HoldingProxy(httpx2.BaseTransport):
    def __init__(self, is_creation: Callable[[httpx2.Request], bool]) -> None:
        self.wire = httpx2.HTTPTransport()
        self.is_creation = is_creation
        self.is_holding = False
        self.held: list[httpx2.Request] = []

    def holds_next(self) -> None:
        self.is_holding = True

    def passes_on(self) -> None:
        """Send the held requests to the server, which executes them; nobody gets their answers."""
        while self.held:
            response = self.wire.handle_request(self.held.pop())
            response.read()
            assert response.status_code < 300

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        if self.is_holding and self.is_creation(request):
            self.is_holding = False
            request.read()
            self.held.append(request)
            raise httpx2.ReadTimeout("the proxy holds the request")
        return self.wire.handle_request(request)

    def close(self) -> None:
        self.wire.close()
