"""Run the contract's scenario with the Python library. See ../../contract/README.md for the format of a step.

run_scenario.py [--async] SCENARIO
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
JSON_TYPES = {type(None): "null", bool: "boolean", str: "string", int: "number", float: "number", list: "list"}


class ScenarioRunner:
    """Runs a scenario with either client. Results of the asynchronous client are awaited."""

    def __init__(self, scenario: Path, client_class: type[Client] | type[AsyncClient]) -> None:
        self.scenario = scenario
        self.client_class = client_class
        self.key, self.url = os.environ["BLOGSVC_API_KEY"], os.environ["BLOGSVC_URL"]
        names = {"run": "RUN", "platform": "PLATFORM", "hook": "HOOK", "key": "BLOGSVC_API_KEY"}
        self.variables: dict[str, Any] = {name: os.environ.get(variable) for name, variable in names.items()}
        self.keys: dict[str, str] = {}
        self.clients: dict[str, Any] = {}
        self.logs: dict[str, list[LogEntry]] = {}
        self.progress = 0
        self.filters: dict[str, Callable[[Any], Any]] = {
            "length": len,
            "type": lambda value: JSON_TYPES.get(type(value), "object"),
            "sorted": sorted,
            "hidesKey": lambda text: self.key not in text,
        }
        folder = scenario.parent
        self.functions: dict[str, Callable[[Any], Any]] = {
            "$repeat": lambda text_and_times: text_and_times[0] * text_and_times[1],
            "$time": lambda text: datetime.fromisoformat(text.replace("Z", "+00:00")),
            "$in": lambda seconds: datetime.now(timezone.utc) + timedelta(seconds=seconds),
            "$path": lambda name: str(folder / name),
            "$open": lambda name: (folder / name).open("rb"),
            "$text": lambda name: (folder / name).read_text("utf-8"),
        }

    async def run(self) -> None:
        self.create_client("main", self.key, self.url, retry_for=120)
        await self.run_steps(json.loads(self.scenario.read_text("utf-8"))["steps"])
        for client in self.clients.values():
            await maybe_await(client.close())

    async def run_steps(self, steps: list[dict[str, Any]]) -> None:
        for step in steps:
            try:
                output = await self.run_step(step)
            except BlogsvcError as error:
                output = [self.error_line(error), *self.save_and_show(error, step)]
            if output or not is_silent(step):
                print(f"{step['name']}: {' '.join(output) or 'done'}", flush=True)

    async def run_step(self, step: dict[str, Any]) -> list[str]:
        """Run a step and return what it shows."""
        kinds = ("call", "iterate", "stream", "pages", "harness", "verify", "log", "inspect", "client")
        kind = next(kind for kind in kinds if kind in step)
        output: list[str] = await maybe_await(getattr(self, f"run_{kind}")(step))
        return output

    async def run_call(self, step: dict[str, Any]) -> list[str]:
        return self.save_and_show(await maybe_await(self.call(step["call"], step)), step)

    async def run_iterate(self, step: dict[str, Any]) -> list[str]:
        return [assignment("rows", await self.rows(self.call(step["iterate"], step), step))]

    async def run_stream(self, step: dict[str, Any]) -> list[str]:
        stream = self.client(step).events.stream(**self.arguments(step["stream"]))
        rows = await self.rows(stream, step)
        await maybe_await(stream.close())
        return [assignment("rows", rows)]

    async def run_pages(self, step: dict[str, Any]) -> list[str]:
        page = await maybe_await(self.call(step["pages"], step))
        return [assignment("pages", [len(one.data) async for one in iterate(page.pages())])]

    def run_harness(self, step: dict[str, Any]) -> list[str]:
        print("@" + self.fill(step["harness"]), flush=True)
        return self.save_and_show(json.loads(sys.stdin.readline()), step)

    def run_verify(self, step: dict[str, Any]) -> list[str]:
        message = self.fill(step["verify"])
        webhook = Webhook(message["secret"])
        return self.save_and_show(webhook.verify(message["body"].encode(), message["headers"], message["now"]), step)

    def run_log(self, step: dict[str, Any]) -> list[str]:
        entries = [log_line(entry) for entry in self.logs[step["log"]]]
        self.logs[step["log"]].clear()
        return [assignment("log", entries)]

    def run_inspect(self, step: dict[str, Any]) -> list[str]:
        client, key = self.clients[step["inspect"]], self.keys[step["inspect"]]
        texts = (str(client), repr(client), str(vars(client)), pformat(client))
        return [assignment("hidden", not any(key in text for text in texts))]

    def run_client(self, step: dict[str, Any]) -> list[str]:
        options = self.arguments(step.get("options", {}))
        self.create_client(step["client"], self.fill(step["key"]), self.fill(step.get("url", self.url)), **options)
        return []

    def create_client(self, name: str, key: str, url: str, **options: Any) -> None:
        log = self.logs[name] = []
        self.keys[name] = key
        self.clients[name] = self.client_class(key, url, log=log.append, **options)

    def client(self, step: dict[str, Any]) -> Any:
        return self.clients[step.get("client", "main")]

    def call(self, method: str, step: dict[str, Any]) -> Any:
        """Call a method of a client. The asynchronous client returns an awaitable."""
        function = self.client(step)
        for name in method.split("."):
            function = getattr(function, snake_case(name))
        keywords = self.arguments(step.get("fields", {})) | self.arguments(step.get("options", {}))
        if method == "posts.wait":
            self.progress = 0
            keywords["progress"] = self.count_progress
        return function(*self.fill(step.get("args", [])), **keywords)

    def count_progress(self, _post: object) -> None:
        self.progress += 1

    async def rows(self, source: Any, step: dict[str, Any]) -> list[Any]:
        rows: list[Any] = []
        async for row in iterate(source):
            rows.append(self.value(row, step["row"]))
            await self.run_steps(step.get("stepsAfter", {}).get(str(len(rows)), []))
            if len(rows) == step.get("until"):
                break
        return rows

    def save_and_show(self, result: Any, step: dict[str, Any]) -> list[str]:
        for name, path in step.get("save", {}).items():
            self.variables[name] = result if path == "" else self.value(result, path)
        return self.show(result, step)

    def show(self, result: Any, step: dict[str, Any]) -> list[str]:
        return [assignment(path, self.value(result, path)) for path in step.get("show", ())]

    def error_line(self, error: BlogsvcError) -> str:
        kind = error_kind(type(error).__name__)
        if not isinstance(error, APIError):
            return f"! {kind}"
        fields = [f"{one.pointer or one.parameter}:{one.code}" for one in error.errors]
        return " ".join(["!", kind, str(error.status), *([error.slug] if error.slug else []), *fields])

    def arguments(self, fields: dict[str, Any]) -> dict[str, Any]:
        """Return fields as keyword arguments."""
        reserved = {"from": "from_"}
        return {reserved.get(name, snake_case(name)): self.fill(value) for name, value in fields.items()}

    def fill(self, value: Any) -> Any:
        """Replace the variables and functions in a value of a step."""
        if isinstance(value, str):
            whole = VARIABLE.fullmatch(value)
            return self.variable(whole) if whole else VARIABLE.sub(lambda match: str(self.variable(match)), value)
        if isinstance(value, list):
            return [self.fill(one) for one in value]
        if not isinstance(value, dict):
            return value
        if len(value) == 1:
            ((name, argument),) = value.items()
            if name in self.functions:
                return self.functions[name](argument)
        return {name: self.fill(one) for name, one in value.items()}

    def variable(self, match: re.Match[str]) -> Any:
        name, _, path = match[1].partition(".")
        return self.value(self.variables[name], path)

    def value(self, source: Any, path: str) -> Any:
        """Return the value at a path as JSON."""
        path, _, filter_ = path.partition("|")
        parts = path.split(".") if path else []
        if filter_ == "time":
            return utc_text(attribute(at(source, parts[:-1], as_json=False), parts[-1]))
        value = self.progress if path == "progress" else at(source, parts)
        return self.filters[filter_](value) if filter_ else value


def is_silent(step: dict[str, Any]) -> bool:
    """Return True if the step prints no line when it has nothing to show."""
    has_request = {"call", "iterate", "pages", "stream"} & set(step)
    return "harness" in step or ("client" in step and not has_request)


async def maybe_await(value: Any) -> Any:
    return await value if isawaitable(value) else value


async def iterate(source: Any) -> AsyncIterator[Any]:
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
            value = item(value, part, as_json)
    return value if not as_json else plain(value)


def item(value: Any, key: str, as_json: bool) -> Any:
    if not as_json and not isinstance(value, dict):
        return attribute(value, key)
    try:
        return value[key]
    except KeyError:
        return None


def attribute(value: Any, name: str) -> Any:
    """Return an attribute of an error, a response or a record."""
    if isinstance(value, BaseException) and name == "message":
        return str(value)
    return getattr(value, snake_case(name), None)


def plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else value


def utc_text(time: datetime | None) -> str | None:
    return time.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ") if time else None


def snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda match: f"_{match[1].lower()}", name)


def error_kind(class_name: str) -> str:
    """Return the common name of an error: Connection for `APIConnectionError`, Timeout for `RequestTimeoutError`."""
    kind = class_name.removesuffix("Error")
    return {"APIConnection": "Connection", "RequestTimeout": "Timeout"}.get(kind, kind)


def log_line(entry: LogEntry) -> str:
    outcome = error_kind(entry.error) if entry.error else str(entry.status)
    return " ".join([entry.method, str(entry.attempt), outcome, *(["retry"] if entry.retry_in is not None else [])])


def assignment(path: str, value: Any) -> str:
    return f"{path}={json.dumps(value, ensure_ascii=False, separators=(',', ':'))}"


if __name__ == "__main__":
    client_class = AsyncClient if "--async" in sys.argv else Client
    asyncio.run(ScenarioRunner(Path(sys.argv[-1]), client_class).run())
