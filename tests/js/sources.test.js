import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const STATIC = new URL("../../static/", import.meta.url);
const MAX_COLUMNS = 120;
const sources = readdirSync(STATIC, { recursive: true })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => !path.startsWith("vendor/") && /\.(css|js|ts)$/.test(path));

test("no line of a script or style sheet is longer than 120 columns", () => {
  assert.ok(sources.includes("desk/app.css") && sources.includes("desk/app.js"));
  const long = sources.flatMap((path) =>
    readFileSync(new URL(path, STATIC), "utf8")
      .split("\n")
      .flatMap((line, index) => ([...line].length > MAX_COLUMNS ? [`${path}:${index + 1}`] : [])),
  );
  assert.deepEqual(long, []);
});

test("every script is checked for types", () => {
  const scripts = sources.filter((path) => path.endsWith(".js"));
  const unchecked = scripts.filter((path) => !readFileSync(new URL(path, STATIC), "utf8").startsWith("// @ts-check\n"));
  assert.deepEqual(unchecked, []);
});
