"""All operations of the specification with Python's standard library. It needs KEY, BASE and PLATFORM."""

import json
import os
from datetime import UTC, datetime, timedelta
from urllib.request import Request, urlopen


def call(method, path, body=None):
    request = Request(f"{os.environ['BASE']}/api/v1{path}", method=method)
    request.add_header("Authorization", f"Bearer {os.environ['KEY']}")
    if body is not None:
        request.add_header("Content-Type", "application/json")
        request.data = json.dumps(body).encode()
    with urlopen(request) as response:
        return json.load(response)


at = datetime.now(UTC) + timedelta(hours=1)
platforms = [os.environ["PLATFORM"]]
post = call(
    "POST",
    "/posts",
    {"title": "Hello", "content": "From Python.", "platforms": platforms, "scheduledAt": at.isoformat()},
)
print("created")
call("GET", "/posts")
print("listed")
call("PUT", f"/posts/{post['id']}", {"title": "Hello again"})
print("updated")
call("POST", f"/posts/{post['id']}/publish")
print("published")
call("GET", "/analytics")
print("measured")
call("DELETE", f"/posts/{post['id']}")
print("deleted")
