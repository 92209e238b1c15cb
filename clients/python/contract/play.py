"""Play the story of the contract with the Python library: ../../contract/README.md has the form of a step.

play.py [--async] SCENARIO
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from collections.abc import AsyncIterator, Mapping
from datetime import datetime, timedelta, timezone
from inspect import isawaitable
from pathlib import Path
from pprint import pformat
from typing import Any, Callable

sys.path.insert(0, str(Path(__file__).parent.parent / "src"))

from blogsvc_client import APIError, AsyncClient, BlogsvcError, Client, LogEntry, Webhook

VARIABLE = re.compile(r"\$\{([^}]*)\}")
KINDS = {type(None): "null", bool: "boolean", str: "string", int: "number", float: "number", list: "list"}


class Player:
    """Both clients are played in the same way: what the asynchronous one answers is awaited."""

    def __init__(self, scenario: Path, client_class: type[Client] | type[AsyncClient]) -> None:
        self.scenario = scenario
        self.client_class = client_class
        self.key = os.environ["BLOGSVC_API_KEY"]
        names = {"run": "RUN", "platform": "PLATFORM", "hook": "HOOK", "key": "BLOGSVC_API_KEY"}
        self.variables: dict[str, Any] = {name: os.environ.get(found) for name, found in names.items()}
        self.keys: dict[str, str] = {}
        self.clients: dict[str, Any] = {}
        self.logs: dict[str, list[LogEntry]] = {}
        self.progress = 0
        self.forms: dict[str, Callable[[Any], Any]] = {
            "length": len,
            "type": lambda value: KINDS.get(type(value), "object"),
            "sorted": sorted,
            "keyless": lambda text: self.key not in text,
        }
        folder = scenario.parent
        self.instead: dict[str, Callable[[Any], Any]] = {
            "$repeat": lambda text_and_times: text_and_times[0] * text_and_times[1],
            "$time": lambda text: datetime.fromisoformat(text.replace("Z", "+00:00")),
            "$in": lambda seconds: datetime.now(timezone.utc) + timedelta(seconds=seconds),
            "$path": lambda name: str(folder / name),
            "$open": lambda name: (folder / name).open("rb"),
            "$text": lambda name: (folder / name).read_text("utf-8"),
        }

    async def play(self) -> None:
        self.make("main", self.key, max_retries=8)
        await self.steps(json.loads(self.scenario.read_text("utf-8"))["steps"])
        for client in self.clients.values():
            await awaited(client.close())

    async def steps(self, steps: list[dict[str, Any]]) -> None:
        for step in steps:
            try:
                shown = await self.step(step)
            except BlogsvcError as error:
                shown = [self.complaint(error), *self.shown(error, step)]
            if shown or not is_quiet(step):
                print(f"{step['does']}: {' '.join(shown) or 'done'}", flush=True)

    async def step(self, step: dict[str, Any]) -> list[str]:
        """Do it; what there is to show of it."""
        kinds = ("call", "walk", "stream", "pages", "harness", "verify", "log", "text", "client")
        kind = next(kind for kind in kinds if kind in step)
        shown: list[str] = await awaited(getattr(self, f"do_{kind}")(step))
        return shown

    async def do_call(self, step: dict[str, Any]) -> list[str]:
        return self.kept(await awaited(self.called(step["call"], step)), step)

    async def do_walk(self, step: dict[str, Any]) -> list[str]:
        return [written("rows", await self.rows(self.called(step["walk"], step), step))]

    async def do_stream(self, step: dict[str, Any]) -> list[str]:
        stream = self.client(step).events.stream(**self.named(step["stream"]))
        rows = await self.rows(stream, step)
        await awaited(stream.close())
        return [written("rows", rows)]

    async def do_pages(self, step: dict[str, Any]) -> list[str]:
        list_ = await awaited(self.called(step["pages"], step))
        return [written("pages", [len(page.data) async for page in each(list_.pages())])]

    def do_harness(self, step: dict[str, Any]) -> list[str]:
        print("@" + self.filled(step["harness"]), flush=True)
        return self.kept(json.loads(sys.stdin.readline()), step)

    def do_verify(self, step: dict[str, Any]) -> list[str]:
        asked = self.filled(step["verify"])
        message = Webhook(asked["secret"]).verify(asked["body"].encode(), asked["headers"], asked["now"])
        return self.kept(message, step)

    def do_log(self, step: dict[str, Any]) -> list[str]:
        entries = [brief(entry) for entry in self.logs[step["log"]]]
        self.logs[step["log"]].clear()
        return [written("log", entries)]

    def do_text(self, step: dict[str, Any]) -> list[str]:
        client, key = self.clients[step["text"]], self.keys[step["text"]]
        texts = (str(client), repr(client), str(vars(client)), pformat(client))
        return [written("hidden", not any(key in text for text in texts))]

    def do_client(self, step: dict[str, Any]) -> list[str]:
        options = self.named(step.get("options", {}))
        self.make(step["client"], self.filled(step["key"]), self.filled(step.get("url")), **options)
        return []

    def make(self, name: str, key: str, url: str | None = None, **options: Any) -> None:
        log = self.logs[name] = []
        self.keys[name] = key
        self.clients[name] = self.client_class(key, url, log=log.append, **options)

    def client(self, step: dict[str, Any]) -> Any:
        return self.clients[step.get("client", "main")]

    def called(self, method: str, step: dict[str, Any]) -> Any:
        """What a method of a client returns, which the asynchronous one has not done yet."""
        found = self.client(step)
        for name in method.split("."):
            found = getattr(found, snake(name))
        named = self.named(step.get("with", {})) | self.named(step.get("options", {}))
        if method == "posts.wait":
            self.progress = 0
            named["progress"] = self.count
        return found(*self.filled(step.get("ids", [])), **named)

    def count(self, _post: object) -> None:
        self.progress += 1

    async def rows(self, source: Any, step: dict[str, Any]) -> list[Any]:
        rows: list[Any] = []
        async for row in each(source):
            rows.append(self.value(row, step["row"]))
            await self.steps(step.get("at", {}).get(str(len(rows)), []))
            if len(rows) == step.get("until"):
                break
        return rows

    def kept(self, answer: Any, step: dict[str, Any]) -> list[str]:
        for name, path in step.get("keep", {}).items():
            self.variables[name] = answer if path == "" else self.value(answer, path)
        return self.shown(answer, step)

    def shown(self, answer: Any, step: dict[str, Any]) -> list[str]:
        return [written(path, self.value(answer, path)) for path in step.get("show", ())]

    def complaint(self, error: BlogsvcError) -> str:
        kind = kind_of(type(error).__name__)
        if not isinstance(error, APIError):
            return f"! {kind}"
        faults = [f"{one.pointer or one.parameter}:{one.code}" for one in error.errors]
        return " ".join(["!", kind, str(error.status), *([error.slug] if error.slug else []), *faults])

    def named(self, fields: dict[str, Any]) -> dict[str, Any]:
        """The arguments for these fields."""
        reserved = {"from": "from_"}
        return {reserved.get(name, snake(name)): self.filled(value) for name, value in fields.items()}

    def filled(self, value: Any) -> Any:
        """A value of a step, with what stands for something else replaced."""
        if isinstance(value, str):
            whole = VARIABLE.fullmatch(value)
            return self.variable(whole) if whole else VARIABLE.sub(lambda found: str(self.variable(found)), value)
        if isinstance(value, list):
            return [self.filled(one) for one in value]
        if not isinstance(value, dict):
            return value
        if len(value) == 1:
            ((name, given),) = value.items()
            if name in self.instead:
                return self.instead[name](given)
        return {name: self.filled(one) for name, one in value.items()}

    def variable(self, found: re.Match[str]) -> Any:
        name, _, path = found[1].partition(".")
        return self.value(self.variables[name], path)

    def value(self, answer: Any, path: str) -> Any:
        """What is at a path of an answer, as JSON has it."""
        path, _, form = path.partition("|")
        parts = path.split(".") if path else []
        if form == "time":
            return as_utc(attribute(at(answer, parts[:-1], as_json=False), parts[-1]))
        value = self.progress if path == "progress" else at(answer, parts)
        return self.forms[form](value) if form else value


def is_quiet(step: dict[str, Any]) -> bool:
    """Whether it says nothing where it has nothing to show."""
    does_more = {"call", "walk", "pages", "stream"} & set(step)
    return "harness" in step or ("client" in step and not does_more)


async def awaited(value: Any) -> Any:
    return await value if isawaitable(value) else value


async def each(source: Any) -> AsyncIterator[Any]:
    if hasattr(source, "__aiter__"):
        async for one in source:
            yield one
    else:
        for one in source:
            yield one


def at(value: Any, parts: list[str], as_json: bool = True) -> Any:
    for part in parts:
        if isinstance(value, list):
            index = int(part)
            value = value[index] if index < len(value) else None
        elif part == "response" or not hasattr(value, "__getitem__"):
            value = attribute(value, part)
        else:
            value = found(value, part, as_json)
    return value if not as_json else plain(value)


def found(value: Any, key: str, as_json: bool) -> Any:
    if not as_json and not isinstance(value, dict):
        return attribute(value, key)
    try:
        return value[key]
    except KeyError:
        return None


def attribute(value: Any, name: str) -> Any:
    """A field that is not JSON: of an error, of a response, or an attribute of a record."""
    if isinstance(value, BaseException) and name == "message":
        return str(value)
    return getattr(value, snake(name), None)


def plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else value


def as_utc(time: datetime | None) -> str | None:
    return time.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ") if time else None


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda found: f"_{found[1].lower()}", name)


def kind_of(class_name: str) -> str:
    """`APIConnectionError` is Connection, `RequestTimeoutError` Timeout, `APIError` API."""
    kind = class_name.removesuffix("Error")
    return {"APIConnection": "Connection", "RequestTimeout": "Timeout"}.get(kind, kind)


def brief(entry: LogEntry) -> str:
    outcome = kind_of(entry.error) if entry.error else str(entry.status)
    return " ".join([entry.method, str(entry.attempt), outcome, *(["again"] if entry.retry_in is not None else [])])


def written(path: str, value: Any) -> str:
    return f"{path}={json.dumps(value, ensure_ascii=False, separators=(',', ':'))}"


if __name__ == "__main__":
    client_class = AsyncClient if "--async" in sys.argv else Client
    asyncio.run(Player(Path(sys.argv[-1]), client_class).play())
