import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
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
  assert.throws(() => new Client(), /or set BLOGSVC_API_KEY and BLOGSVC_URL/);
  process.env.BLOGSVC_API_KEY = KEY;
  assert.throws(() => new Client(), /BLOGSVC_URL is not/);
  process.env.BLOGSVC_URL = "https://blog.example.org";
  assert.equal(new Client().baseUrl, "https://blog.example.org");
});

test("key and URL can be given in order or by name", () => {
  const seen = (...given) => {
    const client = new Client(...given);
    return [client.baseUrl, client.withOptions({ timeout: 1 }).baseUrl];
  };
  const url = "https://staging.example.org";
  assert.deepEqual(seen(KEY, url), [url, url]);
  assert.deepEqual(seen(KEY, url, { timeout: 5 }), [url, url]);
  assert.deepEqual(seen({ apiKey: KEY, baseUrl: url }), [url, url]);
});

test("the key that is given is sent, not that of the environment", async (t) => {
  t.after(() => {
    delete process.env.BLOGSVC_API_KEY;
    delete process.env.BLOGSVC_URL;
  });
  process.env.BLOGSVC_API_KEY = "bsk_production";
  process.env.BLOGSVC_URL = "https://production.example.org";
  const sent = [];
  const fetch = async (url, init) => {
    sent.push([url, init.headers.get("Authorization")]);
    return jsonResponse({});
  };
  await new Client(KEY, "https://staging.example.org", { fetch }).me();
  await new Client({ apiKey: KEY, baseUrl: "https://staging.example.org", fetch }).me();
  const expected = ["https://staging.example.org/api/v1/me", `Bearer ${KEY}`];
  assert.deepEqual(sent, [expected, expected]);
  for (const given of [
    [undefined, "https://staging.example.org"],
    [KEY, undefined],
    [{ apiKey: undefined, baseUrl: "https://staging.example.org" }],
    [{ apiKey: KEY, baseUrl: null }],
    [{ apiKey: KEY }, "https://staging.example.org"],
    [KEY, "https://staging.example.org", { apiKey: KEY }],
    [KEY, "https://staging.example.org", {}, {}],
    [KEY, { baseUrl: "https://staging.example.org" }],
    [null],
    [7],
    [[]],
    [() => {}],
    [{ apikey: KEY }],
    [{ apiKey: KEY, baseURL: "https://staging.example.org" }],
  ]) {
    assert.throws(() => new Client(...given), TypeError, inspect(given));
  }
  for (const options of [undefined, null, "x", { retries: 3 }]) {
    assert.throws(() => new Client(KEY, "https://x.example.org").withOptions(options), TypeError, inspect(options));
  }
});

test("an error about an argument does not show the key", () => {
  assert.throws(
    () => new Client({ baseUrl: 7, apiKey: KEY }),
    (error) => !error.message.includes(KEY),
  );
});

test("CommonJS can require the library", () => {
  const { Client: Required, VERSION: version } = createRequire(import.meta.url)("../src/index.js");
  assert.equal(version, VERSION);
  assert.equal(new Required(KEY, "https://blog.example.org").baseUrl, "https://blog.example.org");
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
  const { client, sent, log } = mockClient([jsonResponse({})]);
  await client.withOptions({ log: undefined, timeout: 1 }).me();
  await client.withOptions({ log: () => {} }).me();
  assert.equal(sent[1].url, "https://blog.example.org/api/v1/me");
  assert.equal(sent[1].headers.get("Authorization"), `Bearer ${KEY}`);
  assert.equal(log.length, 1);
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
