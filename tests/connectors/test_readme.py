"""The example in the README of the connectors works and passes the contract."""

from __future__ import annotations

import itertools
import re
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from tests.connectors.contract import AN_ARTICLE, HTTPContract
from tests.outside import Reply

README = Path(__file__).parents[2] / "blogsvc/connectors/README.md"


def example_of_the_readme():
    code = re.search(r"```python\n(\"\"\"Example.*?)```", README.read_text(), re.DOTALL)[1]
    module = ModuleType("example_of_the_readme")
    sys.modules[module.__name__] = module  # dataclasses look up their module
    exec(compile(code, str(README), "exec"), vars(module))
    return module.Example


Example = example_of_the_readme()


class FakeExample:
    """The platform of the README, in a few lines."""

    def __init__(self, outside):
        self.posts = {}
        self.outside = outside
        self.ids = itertools.count(1)
        outside.teach("GET", "https://example.com/api/me", json={"name": "Ada"})
        outside.teach("POST", "https://example.com/api/posts", self.create)

    def create(self, seen):
        number = next(self.ids)
        url = f"https://example.com/api/posts/{number}"
        self.posts[number] = seen.json()
        self.outside.teach("PUT", url, lambda seen: self.change(number, seen))
        self.outside.teach("DELETE", url, lambda seen: self.remove(number))
        return Reply(201, {"id": number, "url": f"https://example.com/{number}"})

    def change(self, number, seen):
        self.posts[number] = seen.json()
        return Reply(200, {"id": number})

    def remove(self, number):
        return Reply(204) if self.posts.pop(number, None) else Reply(404, {"error": "not found"})


class TestContract(HTTPContract):
    too_long = replace(AN_ARTICLE, title="x" * 101)

    def make(self, outside):
        self.fake = FakeExample(outside)
        return Example({"url": "https://example.com/api", "token": "s3cret"}, outside.http())

    def copies(self, outside):
        return len(self.fake.posts)


def test_the_readme_lists_every_error():
    from blogsvc.connectors import errors

    told = set(re.findall(r"^\| `([A-Z]\w+)` \|", README.read_text(), re.MULTILINE))
    real = {name for name, value in vars(errors).items() if getattr(value, "code", "error") != "error"}
    assert told == real


def test_every_method_named_in_the_readme_exists():
    for name in re.findall(r"^\| `(\w+)\(", README.read_text(), re.MULTILINE):
        assert hasattr(Example, name)
