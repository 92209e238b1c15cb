import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { inspect } from "node:util";

import { Client, ConfigurationError, VERSION } from "../src/index.js";
import { jsonResponse, KEY, mockClient, problemResponse } from "./helpers.js";

test("the version matches package.json", () => {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf-8"));
  assert.equal(VERSION, version);
});

test("the base URL is validated and normalized", () => {
  const normalized = (baseUrl, options) => new Client({ apiKey: KEY, baseUrl, ...options }).baseUrl;
  assert.equal(normalized("https://blog.example.org/api/v1/"), "https://blog.example.org");
  assert.equal(normalized("https://example.org/blog/"), "https://example.org/blog");
  for (const local of ["http://localhost:8000", "http://127.1.2.3", "http://[::1]:8000"])
    assert.equal(normalized(local), local);
  assert.equal(normalized("http://blog.example.org", { allowHttp: true }), "http://blog.example.org");
  for (const invalid of [
    "http://localhost.example.org",
    "http://127.0.0.1.example.org",
    "ftp://example.org",
    "//x",
    "https://me:secret@x.org",
    "https://x.org?a=b",
  ]) {
    assert.throws(() => normalized(invalid), ConfigurationError, invalid);
  }
});

test("key and URL default to the environment", (t) => {
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

test("invalid options are rejected", () => {
  for (const options of [
    { timeout: "60" },
    { timeout: NaN },
    { maxRetries: -1 },
    { maxRetries: 1.5 },
    { maxRetryWait: null },
  ]) {
    assert.throws(() => mockClient([], options), ConfigurationError, inspect(options));
  }
});

test("the API key is never shown", async () => {
  const { client, log } = mockClient([problemResponse(401, "unauthorized")]);
  const error = await client.me().catch((error) => error);
  const shown = [client, client.posts, client.withOptions({}), error, log].flatMap((one) => [
    inspect(one, { depth: 20, showHidden: true }),
    String(one),
    JSON.stringify(one),
  ]);
  assert.equal(shown.filter((text) => text?.includes(KEY)).length, 0);
});

test("an error about an invalid key does not show the key", () => {
  assert.throws(
    () => new Client({ apiKey: "bsk_secret\nHost: elsewhere", baseUrl: "https://blog.example.org" }),
    (error) => error instanceof ConfigurationError && !error.message.includes("secret"),
  );
});

test("withOptions does not change the original client", async () => {
  const { client, sent } = mockClient([jsonResponse({})]);
  await client.withOptions({ baseUrl: "https://other.example.org", timeout: undefined }).me();
  assert.equal(sent[0].url, "https://other.example.org/api/v1/me");
  assert.equal(sent[0].headers.get("Authorization"), `Bearer ${KEY}`);
  assert.equal(client.baseUrl, "https://blog.example.org");
});

test("fetch is not called as a method", async () => {
  let receiver;
  const fetch = async function () {
    receiver = this;
    return jsonResponse({});
  };
  await mockClient([], { fetch }).client.me();
  assert.equal(receiver, undefined);
});
