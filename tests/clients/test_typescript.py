"""The Node.js library in TypeScript, as ES modules and as CommonJS: the types compile, and the program works."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.clients.conftest import require_program
from tests.clients.harness import Harness
from tests.clients.projects import CLIENTS, PROJECTS, call
from tests.clients.test_packages import TSC

NODE = next(project for project in PROJECTS if project.name == "node")
PACKAGE = json.loads((CLIENTS / "node" / "package.json").read_text())
# Sends a post back as it was read, with one change, and shows that the classes are types and values.
PROGRAM = """
import { APIError, Client, Page, VERSION, type ClientConfig, type Post } from "blogsvc-client";

async function main(): Promise<void> {
  const { BLOGSVC_API_KEY: apiKey = "", BLOGSVC_URL: baseUrl = "" } = process.env;
  const config: ClientConfig = { apiKey, baseUrl };
  const client: Client = new Client(config);
  const post: Post = await client.posts.create({ title: "Ink", content: "x", overrides: { site: { title: "Inks" } } });
  await client.posts.update(post.id, { ...post });
  const updated = await client.posts.update(post.id, { ...(await client.posts.get(post.id)), summary: "Black" });
  const page: Page<Post> = await client.posts.list({ limit: 1 });
  console.log(updated.title, updated.summary, updated.overrides["site"]?.title, page instanceof Page, VERSION);
  try {
    await client.posts.update(post.id, { ...post, title: "" });
  } catch (error) {
    if (error instanceof APIError) console.log(error.status, error.errors[0]?.pointer);
  }
}
void main();
declare const process: { env: Record<string, string | undefined> };
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for program in NODE.required_programs:
        require_program(program)
    if not TSC.exists():
        pytest.skip("TYPESCRIPT IS NOT INSTALLED: the types of the Node.js library are not checked")
    folder = tmp_path_factory.mktemp("typescript")
    NODE.set_up(folder)
    return folder


@pytest.mark.parametrize(
    ("suffix", "module", "resolution"),
    [
        ("mts", "node16", "node16"),
        ("mts", "nodenext", "nodenext"),
        ("cts", "node16", "node16"),
        ("cts", "node20", "node16"),
        ("cts", "nodenext", "nodenext"),
        ("cts", "commonjs", "node10"),
    ],
)
def test_a_typescript_program_can_send_a_post_back_as_it_was_read(
    suffix: str, module: str, resolution: str, folder: Path, harness: Harness
) -> None:
    program = folder / f"{module}.{suffix}"
    program.write_text(PROGRAM)
    options = ("--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--target", "es2022")
    libraries = ("--lib", "es2022,dom,dom.iterable,dom.asynciterable")
    modules = ("--module", module, "--moduleResolution", resolution)
    call(TSC, *options, *libraries, *modules, program, cwd=folder)
    compiled = program.with_suffix(f".{suffix.replace('t', 'j', 1)}")
    environ = {"BLOGSVC_URL": f"http://127.0.0.1:{harness.server.port}", "BLOGSVC_API_KEY": harness.key}
    assert call("node", compiled, cwd=folder, **environ).splitlines() == [
        f"Ink Black Inks true {PACKAGE['version']}",
        "422 #/title",
    ]


def test_commonjs_and_es_modules_export_the_same_names() -> None:
    require_program("node")
    script = f'import("{CLIENTS}/node/src/index.js").then((all) => console.log(Object.keys(all).join(" ")))'
    names = set(call("node", "--eval", script, cwd=CLIENTS / "node").split())
    declared = re.findall(r"export declare const (\w+)", (CLIENTS / "node" / "src" / "index.d.cts").read_text())
    assert set(declared) == names
    assert len(declared) == len(names)


def test_commonjs_gets_the_same_classes_without_a_warning(folder: Path) -> None:
    (folder / "same.cjs").write_text(
        "const required = require('blogsvc-client');"
        "import('blogsvc-client').then((imported) => console.log(required.Client === imported.Client));"
    )
    result = subprocess.run(["node", "same.cjs"], cwd=folder, capture_output=True, text=True, timeout=60)
    assert (result.stdout, result.stderr) == ("true\n", "")


def test_the_package_accepts_only_versions_of_node_where_commonjs_can_require_it() -> None:
    # There, require() accepts ES modules without an option.
    accepted = {
        "18.20.8": False,
        "20.18.3": False,
        "20.19.0": True,
        "20.20.2": True,
        "21.7.3": False,
        "22.11.0": False,
        "22.12.0": True,
        "24.0.0": True,
    }
    require_program("node")
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("NPM IS NOT INSTALLED: the range of the versions of Node.js is not tested")
    semver = f"require('module').createRequire({json.dumps(str(Path(npm).resolve()))})('semver')"  # that of npm
    found = (
        f"{json.dumps(list(accepted))}.map((one) => {semver}.satisfies(one, {json.dumps(PACKAGE['engines']['node'])}))"
    )
    result = call("node", "--print", f"JSON.stringify({found})", cwd=CLIENTS / "node")
    assert dict(zip(accepted, json.loads(result), strict=True)) == accepted
    readme = " ".join((CLIENTS / "node" / "README.md").read_text().split())
    assert "Node.js 20.19, 22.12 or later" in readme
