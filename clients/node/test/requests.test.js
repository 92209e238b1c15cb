import assert from "node:assert/strict";
import { test } from "node:test";

import { APIError, ConfigurationError, ConnectionError, Page, RateLimitError, TimeoutError } from "../src/index.js";
import { connectionError, jsonResponse, mockClient, problemResponse } from "./helpers.js";

const FAST = { maxRetries: 3, timeout: 5 };

test("a request has the expected URL, headers and body", async () => {
  const { client, sent } = mockClient([jsonResponse({ id: "post_1" })]);
  await client.posts.create({ title: "Ink", scheduledAt: new Date(0), summary: undefined, slug: null });
  const [{ url, method, headers, body, redirect }] = sent;
  assert.equal(`${method} ${url}`, "POST https://blog.example.org/api/v1/posts");
  assert.equal(body, '{"title":"Ink","scheduledAt":"1970-01-01T00:00:00.000Z","slug":null}');
  assert.equal(redirect, "manual");
  assert.match(headers.get("Idempotency-Key"), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.match(headers.get("User-Agent"), /^blogsvc-node\/\S+ \(Node\.js \d+\.\d+\.\d+\)$/);
});

test("a query omits null and undefined fields", async () => {
  const { client, sent } = mockClient([jsonResponse({ data: [] })]);
  await client.posts.list({ status: ["draft", "failed"], tag: null, trashed: false, createdAfter: new Date(0) });
  const query = "status=draft&status=failed&trashed=false&createdAfter=1970-01-01T00%3A00%3A00.000Z";
  assert.equal(sent[0].url, `https://blog.example.org/api/v1/posts?${query}`);
  await client.posts.list(null);
  assert.equal(sent[1].url, "https://blog.example.org/api/v1/posts");
});

test("invalid values that would clear a field are rejected", async () => {
  const { client, sent } = mockClient([jsonResponse({})]);
  const invalidDate = new Date("soon");
  for (const call of [
    () => client.posts.update("post_1", { scheduledAt: invalidDate }),
    () => client.posts.bulk({ operations: [{ operation: "publish", id: "post_1", at: invalidDate }] }),
    () => client.posts.list({ createdAfter: invalidDate }),
    () => client.keys.update("key_1", { limits: { read: NaN } }),
    () => client.posts.update("post_1", {}, { ifMatch: null }),
  ]) {
    await assert.rejects(call, ConfigurationError);
  }
  assert.equal(sent.length, 0);
});

test("invalid ids and unknown options are rejected", async () => {
  const { client, sent } = mockClient([jsonResponse({})]);
  for (const id of ["", ".", "..", undefined, null, {}, "\ud800"])
    await assert.rejects(client.posts.get(id), ConfigurationError);
  await assert.rejects(client.posts.publish("post_1", {}, { ifMatch: "x" }), /ifMatch/);
  await assert.rejects(client.posts.get("post_1", {}, { idempotencyKey: "x" }), /idempotencyKey/);
  await assert.rejects(client.posts.create({ title: "x" }, { idempotencyKey: "ключ" }), ConfigurationError);
  assert.equal(sent.length, 0);
});

test("a document is frozen and has a non-enumerable response", async () => {
  const { client } = mockClient([
    jsonResponse({ id: "post_1", tags: ["ink"], news: 1 }, { headers: { ETag: '"1"', "X-Request-Id": "req_1" } }),
  ]);
  const post = await client.posts.get("post_1");
  assert.deepEqual({ ...post }, { id: "post_1", tags: ["ink"], news: 1 });
  assert.equal(post.response.etag, '"1"');
  assert.equal(post.response.requestId, "req_1");
  assert.throws(() => post.tags.push("gall"), TypeError);
});

test("a list can be awaited or iterated over", async () => {
  const pages = () => [jsonResponse({ data: [1, 2], nextCursor: "a" }), jsonResponse({ data: [3], nextCursor: null })];
  const rows = [];
  for await (const row of mockClient(pages()).client.posts.list()) rows.push(row);
  assert.deepEqual(rows, [1, 2, 3]);

  const { client, sent } = mockClient(pages());
  const first = await client.posts.list({ tag: "ink" });
  assert.ok(first instanceof Page && first.hasNext);
  assert.deepEqual(JSON.parse(JSON.stringify(first)), { data: [1, 2], nextCursor: "a" });
  const second = await first.next();
  assert.equal(sent[1].url, "https://blog.example.org/api/v1/posts?tag=ink&cursor=a");
  assert.equal(await second.next(), null);
});

test("Retry-After is respected as seconds and as a date, and logged", async () => {
  const date = new Date(Date.now() + 1000).toUTCString();
  const { client, log } = mockClient([
    problemResponse(503, "unavailable", { "Retry-After": "0" }),
    problemResponse(429, "rate-limited", { "Retry-After": date }),
    jsonResponse({}),
  ]);
  await client.me(FAST);
  assert.deepEqual(
    log.map(({ status }) => status),
    [503, 429, 200],
  );
  assert.equal(log[0].retryIn, 0);
  assert.ok(log[1].retryIn <= 1);
  assert.equal(log[2].retryIn, null);
  assert.equal(log[2].path, "/api/v1/me");
});

test("a Retry-After beyond the maximum is thrown", async () => {
  const tooMany = problemResponse(429, "rate-limited", { "Retry-After": "61" }, { tier: "read" });
  const { client, sent } = mockClient([tooMany]);
  await assert.rejects(client.me(), (error) => error instanceof RateLimitError && error.retryAfter === 61);
  assert.equal(sent.length, 1);
});

test("retryFor keeps trying beyond the maximum until the time is up", async () => {
  const busy = problemResponse(503, "unavailable", { "Retry-After": "0" });
  const { client, sent } = mockClient([busy, busy, busy, jsonResponse({})], { maxRetries: 0, retryFor: 60 });
  await client.posts.create({ title: "Ink" });
  assert.equal(sent.length, 4);
  assert.equal(new Set(sent.map(({ headers }) => headers.get("Idempotency-Key"))).size, 1);

  const down = mockClient([connectionError("ECONNREFUSED")], { maxRetries: 0 });
  await assert.rejects(down.client.me({ retryFor: 0.6 }), ConnectionError);
  assert.ok(down.sent.length >= 2, "the first wait is at most 0.5 s");
  assert.ok(down.log.reduce((sum, { retryIn }) => sum + retryIn, 0) <= 0.6);
});

test("errors of a proxy are retried only with retryFor", async () => {
  const badGateway = new Response("<title>Bad Gateway</title>", { status: 502, headers: { "Retry-After": "0" } });
  const { client, sent } = mockClient([badGateway, jsonResponse({})]);
  await assert.rejects(client.me(), { name: "ServerError", status: 502 });
  sent.length = 0;
  await client.me({ retryFor: 60 });
  assert.equal(sent.length, 2);
});

test("a 502 of the API itself is not retried", async () => {
  const { client, sent } = mockClient([problemResponse(502, "platform-unavailable"), jsonResponse({})]);
  await assert.rejects(client.platforms.verify("gazette", { retryFor: 60 }), { slug: "platform-unavailable" });
  assert.equal(sent.length, 1);
});

test("a response that a proxy lost counts as lost", async () => {
  const lost = () => new Response("", { status: 504, headers: { "Retry-After": "0" } });
  const deleting = mockClient([lost, problemResponse(404, "not-found")]).client;
  assert.equal(await deleting.posts.delete("post_1", {}, { retryFor: 60 }), null);
  const changing = mockClient([lost, jsonResponse({})]).client;
  await assert.rejects(changing.posts.update("post_1", {}, { ifMatch: '"1"', retryFor: 60 }), { status: 504 });
});

test("an error has the idempotency key of its request", async () => {
  const page = new Response("<title>Welcome</title>");
  for (const response of [connectionError("ECONNRESET"), problemResponse(422, "invalid"), page]) {
    const { client } = mockClient([response], { maxRetries: 0 });
    const creating = client.posts.create({ title: "Ink" }, { idempotencyKey: "ink-1" });
    await assert.rejects(creating, { idempotencyKey: "ink-1" });
    await assert.rejects(client.me(), { idempotencyKey: null });
  }
  const { client, sent } = mockClient([connectionError("ECONNRESET")], { maxRetries: 0 });
  await assert.rejects(client.posts.restore("post_1"), ({ idempotencyKey }) => {
    return idempotencyKey === sent[0].headers.get("Idempotency-Key");
  });
});

test("a request with If-Match is retried only if it was not sent", async () => {
  const { client, sent } = mockClient([connectionError("ECONNREFUSED"), jsonResponse({})]);
  await client.posts.update("post_1", { title: "x" }, { ifMatch: '"1"', ...FAST });
  assert.equal(sent.length, 2);
  const other = mockClient([connectionError("ECONNRESET")]);
  const changing = other.client.posts.update("post_1", { title: "x" }, { ifMatch: '"1"', ...FAST });
  await assert.rejects(changing, (error) => error instanceof ConnectionError && /is not retried/.test(error.message));
  assert.equal(other.sent.length, 1);
});

test("a 404 to a DELETE is a success only after a lost attempt", async () => {
  const gone = problemResponse(404, "not-found");
  assert.equal(await mockClient([connectionError("ECONNRESET"), gone]).client.posts.delete("post_1"), null);
  await assert.rejects(mockClient([connectionError("ECONNREFUSED"), gone]).client.posts.delete("post_1"), APIError);
});

test("an aborted call throws the reason of its signal and is not retried", async () => {
  const silent = (_, { signal }) =>
    new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const { client, sent, log } = mockClient([silent]);
  const reason = new Error("enough");
  const stop = new AbortController();
  setTimeout(() => stop.abort(reason), 20);
  await assert.rejects(client.me({ signal: stop.signal }), reason);
  await assert.rejects(client.posts.wait("post_1", { signal: stop.signal }), reason);
  assert.equal(log[0].error, "Error");
  assert.equal(sent.length, 1, "a call with an aborted signal sends nothing");
  await assert.rejects(client.me({ timeout: 0.01, maxRetries: 0 }), TimeoutError);
});

test("a call can be aborted while it waits for a retry", async () => {
  const { client } = mockClient([problemResponse(503, "unavailable", { "Retry-After": "30" })]);
  await assert.rejects(client.me({ signal: AbortSignal.timeout(20) }), { name: "TimeoutError", code: 23 });
});

test("a response that is not JSON is an error with its status", async () => {
  const page = new Response("<title>Welcome</title>", { headers: { "Content-Type": "text/html" } });
  const wrongType = { name: "APIError", status: 200, slug: null, message: /text\/html/ };
  await assert.rejects(mockClient([page]).client.me(), wrongType);
  const moved = new Response(null, { status: 308, headers: { Location: "https://new.example.org/" } });
  const redirected = { name: "APIError", status: 308, message: /new\.example\.org/ };
  await assert.rejects(mockClient([moved]).client.me(), redirected);
  const busy = new Response("busy", { status: 502 });
  await assert.rejects(mockClient([busy]).client.me(), { name: "ServerError", status: 502 });
});

test("an error message names each invalid field", async () => {
  const errors = [{ pointer: "#/title", code: "too_short", detail: "A title must have 1 to 300 characters." }];
  const { client } = mockClient([problemResponse(422, "invalid", { "X-Request-Id": "req_1" }, { errors })]);
  const message = "#/title: A title must have 1 to 300 characters. (422 invalid, request req_1)";
  await assert.rejects(client.posts.create({ title: "" }), { name: "InvalidError", message, errors });
});
