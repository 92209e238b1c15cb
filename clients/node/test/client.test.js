import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { inspect } from "node:util";

import { Client, ConfigurationError, VERSION } from "../src/index.js";
import { json, KEY, problem, told } from "./helpers.js";

test("the version is that of the package", () => {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf-8"));
  assert.equal(VERSION, version);
});

test("addresses are taken with and without what follows", () => {
  const address = (baseUrl, options) => new Client({ apiKey: KEY, baseUrl, ...options }).baseUrl;
  assert.equal(address("https://blog.example.org/api/v1/"), "https://blog.example.org");
  assert.equal(address("https://example.org/blog/"), "https://example.org/blog");
  for (const local of ["http://localhost:8000", "http://127.1.2.3", "http://[::1]:8000"])
    assert.equal(address(local), local);
  assert.equal(address("http://blog.example.org", { allowHttp: true }), "http://blog.example.org");
  for (const wrong of [
    "http://localhost.example.org",
    "http://127.0.0.1.example.org",
    "ftp://example.org",
    "//x",
    "https://me:secret@x.org",
    "https://x.org?a=b",
  ]) {
    assert.throws(() => address(wrong), ConfigurationError, wrong);
  }
});

test("key and address may come from the environment", (t) => {
  t.after(() => {
    delete process.env.BLOGSVC_API_KEY;
    delete process.env.BLOGSVC_URL;
  });
  assert.throws(() => new Client(), /BLOGSVC_API_KEY/);
  process.env.BLOGSVC_API_KEY = KEY;
  assert.throws(() => new Client(), /BLOGSVC_URL/);
  process.env.BLOGSVC_URL = "https://blog.example.org";
  assert.equal(new Client().baseUrl, "https://blog.example.org");
});

test("options that cannot be are refused", () => {
  for (const options of [
    { timeout: "60" },
    { timeout: NaN },
    { maxRetries: -1 },
    { maxRetries: 1.5 },
    { maxRetryWait: null },
  ]) {
    assert.throws(() => told([], options), ConfigurationError, inspect(options));
  }
});

test("the key is shown nowhere", async () => {
  const { client, log } = told([problem(401, "unauthorized")]);
  const error = await client.me().catch((error) => error);
  const shown = [client, client.posts, client.withOptions({}), error, log].flatMap((one) => [
    inspect(one, { depth: 20, showHidden: true }),
    String(one),
    JSON.stringify(one),
  ]);
  assert.equal(shown.filter((text) => text?.includes(KEY)).length, 0);
});

test("a key that no header can hold is not told either", () => {
  assert.throws(
    () => new Client({ apiKey: "bsk_secret\nHost: elsewhere", baseUrl: "https://blog.example.org" }),
    (error) => error instanceof ConfigurationError && !error.message.includes("secret"),
  );
});

test("the same client with other options", async () => {
  const { client, sent } = told([json({})]);
  await client.withOptions({ baseUrl: "https://other.example.org", timeout: undefined }).me();
  assert.equal(sent[0].url, "https://other.example.org/api/v1/me");
  assert.equal(sent[0].headers.get("Authorization"), `Bearer ${KEY}`);
  assert.equal(client.baseUrl, "https://blog.example.org");
});

test("a fetch is called as the browsers' wants to be", async () => {
  let itself;
  const fetch = async function () {
    itself = this;
    return json({});
  };
  await told([], { fetch }).client.me();
  assert.equal(itself, undefined);
});
