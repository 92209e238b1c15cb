"""Modules stay short enough to be read at once. The few long ones say why they are not split."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "blogsvc"

NEEDS_REASON, MOST = 300, 350  # lines

# The subject is a table or a list: it grows with the product, and is read by looking one entry up.
TABLE = "a table"
# A class whose methods change one thing. Half of its rules in another module would have to be read along with it.
ONE_THING = "one thing"
# One protocol or format, with all of its cases side by side.
ONE_PROTOCOL = "one protocol"
# A chain of steps in the order in which they happen.
STEPS = "steps in order"

LONG = {
    "api/analytics.py": TABLE,
    "api/schemas/requests.py": TABLE,
    "config.py": TABLE,
    "connectors/base.py": ONE_THING,
    "connectors/buttondown.py": ONE_PROTOCOL,
    "connectors/ghost/connector.py": ONE_PROTOCOL,
    "connectors/micropub/connector.py": ONE_PROTOCOL,
    "connectors/types.py": TABLE,
    "delivery/attention.py": TABLE,
    "delivery/outcomes.py": TABLE,
    "delivery/preflight.py": STEPS,
    "delivery/status.py": TABLE,
    "lib/net/http.py": ONE_THING,
    "lib/text/reader.py": ONE_PROTOCOL,
    "lib/workers/text_jobs.py": ONE_THING,
    "models/delivery.py": ONE_THING,
    "models/post.py": ONE_THING,
    "posts/publishing.py": ONE_THING,
    "server/rsgi.py": ONE_PROTOCOL,
    "web/framework/wording.py": TABLE,
}


def test_no_module_is_too_long_and_long_ones_have_a_reason() -> None:
    lines = {
        str(path.relative_to(PACKAGE)): len(path.read_text().splitlines())
        for path in PACKAGE.rglob("*.py")
        if "migrations" not in path.parts and not path.is_symlink()
    }
    assert {name: count for name, count in lines.items() if count > MOST} == {}
    assert {name for name, count in lines.items() if count > NEEDS_REASON} == set(LONG)
