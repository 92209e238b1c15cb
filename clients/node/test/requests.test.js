import assert from "node:assert/strict";
import { test } from "node:test";

import { APIError, ConfigurationError, ConnectionError, Page, RateLimitError, TimeoutError } from "../src/index.js";
import { json, lost, problem, told } from "./helpers.js";

const HASTY = { maxRetries: 3, timeout: 5 };

test("a request says what it is", async () => {
  const { client, sent } = told([json({ id: "post_1" })]);
  await client.posts.create({ title: "Ink", scheduledAt: new Date(0), summary: undefined, slug: null });
  const [{ url, method, headers, body, redirect }] = sent;
  assert.equal(`${method} ${url}`, "POST https://blog.example.org/api/v1/posts");
  assert.equal(body, '{"title":"Ink","scheduledAt":"1970-01-01T00:00:00.000Z","slug":null}');
  assert.equal(redirect, "manual");
  assert.match(headers.get("Idempotency-Key"), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.match(headers.get("User-Agent"), /^blogsvc-node\/\S+ \(Node\.js \d+\.\d+\.\d+\)$/);
});

test("a query leaves out what is not given", async () => {
  const { client, sent } = told([json({ data: [] })]);
  await client.posts.list({ status: ["draft", "failed"], tag: null, trashed: false, createdAfter: new Date(0) });
  const query = "status=draft&status=failed&trashed=false&createdAfter=1970-01-01T00%3A00%3A00.000Z";
  assert.equal(sent[0].url, `https://blog.example.org/api/v1/posts?${query}`);
  await client.posts.list(null);
  assert.equal(sent[1].url, "https://blog.example.org/api/v1/posts");
});

test("what would be cleared by mistake is refused", async () => {
  const { client, sent } = told([json({})]);
  const nowhen = new Date("soon");
  for (const call of [
    () => client.posts.update("post_1", { scheduledAt: nowhen }),
    () => client.posts.bulk({ operations: [{ operation: "publish", id: "post_1", at: nowhen }] }),
    () => client.posts.list({ createdAfter: nowhen }),
    () => client.keys.update("key_1", { limits: { read: NaN } }),
    () => client.posts.update("post_1", {}, { ifMatch: null }),
  ]) {
    await assert.rejects(call, ConfigurationError);
  }
  assert.equal(sent.length, 0);
});

test("what is no id, and options that are not there, are refused", async () => {
  const { client, sent } = told([json({})]);
  for (const id of ["", ".", "..", undefined, null, {}, "\ud800"])
    await assert.rejects(client.posts.get(id), ConfigurationError);
  await assert.rejects(client.posts.publish("post_1", {}, { ifMatch: "x" }), /ifMatch/);
  await assert.rejects(client.posts.get("post_1", {}, { idempotencyKey: "x" }), /idempotencyKey/);
  await assert.rejects(client.posts.create({ title: "x" }, { idempotencyKey: "ключ" }), ConfigurationError);
  assert.equal(sent.length, 0);
});

test("an answer is frozen, and its response is beside it", async () => {
  const { client } = told([
    json({ id: "post_1", tags: ["ink"], news: 1 }, { headers: { ETag: '"1"', "X-Request-Id": "req_1" } }),
  ]);
  const post = await client.posts.get("post_1");
  assert.deepEqual({ ...post }, { id: "post_1", tags: ["ink"], news: 1 });
  assert.equal(post.response.etag, '"1"');
  assert.equal(post.response.requestId, "req_1");
  assert.throws(() => post.tags.push("gall"), TypeError);
});

test("a list can be awaited, and iterated over without", async () => {
  const pages = () => [json({ data: [1, 2], nextCursor: "a" }), json({ data: [3], nextCursor: null })];
  const rows = [];
  for await (const row of told(pages()).client.posts.list()) rows.push(row);
  assert.deepEqual(rows, [1, 2, 3]);

  const { client, sent } = told(pages());
  const first = await client.posts.list({ tag: "ink" });
  assert.ok(first instanceof Page && first.hasNext);
  assert.deepEqual(JSON.parse(JSON.stringify(first)), { data: [1, 2], nextCursor: "a" });
  const second = await first.next();
  assert.equal(sent[1].url, "https://blog.example.org/api/v1/posts?tag=ink&cursor=a");
  assert.equal(await second.next(), null);
});

test("Retry-After is kept to, in either form, and the log says so", async () => {
  const date = new Date(Date.now() + 1000).toUTCString();
  const { client, log } = told([
    problem(503, "unavailable", { "Retry-After": "0" }),
    problem(429, "rate-limited", { "Retry-After": date }),
    json({}),
  ]);
  await client.me(HASTY);
  assert.deepEqual(
    log.map(({ status }) => status),
    [503, 429, 200],
  );
  assert.equal(log[0].retryIn, 0);
  assert.ok(log[1].retryIn <= 1);
  assert.equal(log[2].retryIn, null);
  assert.equal(log[2].path, "/api/v1/me");
});

test("a server that asks for too long is not waited for", async () => {
  const { client, sent } = told([problem(429, "rate-limited", { "Retry-After": "61" }, { tier: "read" })]);
  await assert.rejects(client.me(), (error) => error instanceof RateLimitError && error.retryAfter === 61);
  assert.equal(sent.length, 1);
});

test("where no connection stood, a change with If-Match is sent again", async () => {
  const { client, sent } = told([lost("ECONNREFUSED"), json({})]);
  await client.posts.update("post_1", { title: "x" }, { ifMatch: '"1"', ...HASTY });
  assert.equal(sent.length, 2);
  const other = told([lost("ECONNRESET")]);
  const changing = other.client.posts.update("post_1", { title: "x" }, { ifMatch: '"1"', ...HASTY });
  await assert.rejects(changing, (error) => error instanceof ConnectionError && /not sent again/.test(error.message));
  assert.equal(other.sent.length, 1);
});

test("404 to a DELETE is success only after an attempt that may have done it", async () => {
  const gone = problem(404, "not-found");
  assert.equal(await told([lost("ECONNRESET"), gone]).client.posts.delete("post_1"), null);
  await assert.rejects(told([lost("ECONNREFUSED"), gone]).client.posts.delete("post_1"), APIError);
});

test("a caller gives up with the reason it likes, and nothing is tried again", async () => {
  const silent = (_, { signal }) =>
    new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const { client, sent, log } = told([silent]);
  const reason = new Error("enough");
  const stop = new AbortController();
  setTimeout(() => stop.abort(reason), 20);
  await assert.rejects(client.me({ signal: stop.signal }), reason);
  await assert.rejects(client.posts.wait("post_1", { signal: stop.signal }), reason);
  assert.equal(log[0].error, "Error");
  assert.equal(sent.length, 1, "who has given up already sends nothing");
  await assert.rejects(client.me({ timeout: 0.01, maxRetries: 0 }), TimeoutError);
});

test("a caller gives up while it is waited for a retry", async () => {
  const { client } = told([problem(503, "unavailable", { "Retry-After": "30" })]);
  await assert.rejects(client.me({ signal: AbortSignal.timeout(20) }), { name: "TimeoutError", code: 23 });
});

test("an answer that is none says so", async () => {
  const page = new Response("<title>Welcome</title>", { headers: { "Content-Type": "text/html" } });
  await assert.rejects(told([page]).client.me(), { name: "APIError", status: 200, slug: null, message: /text\/html/ });
  const moved = new Response(null, { status: 308, headers: { Location: "https://new.example.org/" } });
  await assert.rejects(told([moved]).client.me(), { name: "APIError", status: 308, message: /new\.example\.org/ });
  const busy = new Response("busy", { status: 502 });
  await assert.rejects(told([busy]).client.me(), { name: "ServerError", status: 502 });
});

test("a message names each fault", async () => {
  const errors = [{ pointer: "#/title", code: "too_short", detail: "A title has 1 to 300 characters." }];
  const { client } = told([problem(422, "invalid", { "X-Request-Id": "req_1" }, { errors })]);
  const message = "#/title: A title has 1 to 300 characters. (422 invalid, request req_1)";
  await assert.rejects(client.posts.create({ title: "" }), { name: "InvalidError", message, errors });
});
