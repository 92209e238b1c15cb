/** What must hold where there is no Node.js, as far as that can be seen without a browser. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Webhook } from "../src/index.js";
import { json, told } from "./helpers.js";

const SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const BODY = '{"type":"post.published","timestamp":"2026-11-24T09:00:00Z","data":{"post":{"title":"Grüße"}}}';
const HEADERS = {
  "webhook-id": "msg_1",
  "webhook-timestamp": "1795510800",
  "webhook-signature": "v1,cIQCZ0DmWpufjFNwyzhFnw7OyNbb+t+F8psnLRyPNmw=",
};
const NOW = new Date(1795510800 * 1000);

function inPage(t) {
  globalThis.document = {};
  t.after(() => delete globalThis.document);
}

test("a page sends no header that it may not", async (t) => {
  inPage(t);
  const { client, sent } = told([json({})]);
  await client.posts.create({ title: "x" });
  const allowed = ["accept", "authorization", "content-type", "idempotency-key"];
  assert.deepEqual([...sent[0].headers.keys()], allowed);
});

test("a page comes back to a stream by its address", async (t) => {
  inPage(t);
  const event = new Response("id: evt_1\ndata: {}\n\n", { headers: { "Content-Type": "text/event-stream" } });
  const { client, sent } = told([event, json({}, { status: 401 })]);
  await assert.rejects(async () => {
    for await (const _ of client.events.stream({ after: "evt_0" }));
  });
  assert.equal(sent[1].headers.get("Last-Event-ID"), null);
  assert.equal(new URL(sent[1].url).search, "?after=evt_1");
});

test("a redirect that a browser hides is an error", async () => {
  const hidden = () => ({ type: "opaqueredirect", status: 0, headers: new Headers(), body: null });
  await assert.rejects(told([hidden]).client.me(), { name: "APIError", status: 0, message: /redirects/ });
});

test("signatures are checked in bytes or text, with headers of either kind", async () => {
  const webhook = new Webhook(SECRET);
  for (const body of [BODY, Buffer.from(BODY), new TextEncoder().encode(BODY).buffer]) {
    assert.equal((await webhook.verify(body, new Headers(HEADERS), NOW)).data.post.title, "Grüße");
  }
  await assert.rejects(webhook.verify(JSON.parse(BODY), HEADERS, NOW), { name: "ConfigurationError" });
  await assert.rejects(webhook.verify(BODY, HEADERS), { name: "WebhookSignatureError" });
});

test("without a global crypto, that of Node.js does", async (t) => {
  const found = Object.getOwnPropertyDescriptor(globalThis, "crypto");
  if (found) {
    Object.defineProperty(globalThis, "crypto", { value: undefined, configurable: true });
    t.after(() => Object.defineProperty(globalThis, "crypto", found));
  }
  await new Webhook(SECRET).verify(BODY, HEADERS, NOW);
  const { client, sent } = told([json({})]);
  await client.posts.create({ title: "x" });
  assert.equal(sent[0].headers.get("Idempotency-Key").length, 36);
});
