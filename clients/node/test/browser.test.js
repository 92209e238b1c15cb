/** Behaviour in browsers, simulated in Node.js. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Webhook } from "../src/index.js";
import { jsonResponse, mockClient } from "./helpers.js";

const SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const BODY = '{"type":"post.published","timestamp":"2026-11-24T09:00:00Z","data":{"post":{"title":"Grüße"}}}';
const HEADERS = {
  "webhook-id": "msg_1",
  "webhook-timestamp": "1795510800",
  "webhook-signature": "v1,cIQCZ0DmWpufjFNwyzhFnw7OyNbb+t+F8psnLRyPNmw=",
};
const NOW = new Date(1795510800 * 1000);

function simulateBrowser(t) {
  globalThis.document = {};
  t.after(() => delete globalThis.document);
}

test("a browser sends only headers that CORS allows", async (t) => {
  simulateBrowser(t);
  const { client, sent } = mockClient([jsonResponse({})]);
  await client.posts.create({ title: "x" });
  const allowed = ["accept", "authorization", "content-type", "idempotency-key"];
  assert.deepEqual([...sent[0].headers.keys()], allowed);
});

test("a browser reconnects to a stream with a query parameter", async (t) => {
  simulateBrowser(t);
  const event = new Response("id: evt_1\ndata: {}\n\n", { headers: { "Content-Type": "text/event-stream" } });
  const { client, sent } = mockClient([event, jsonResponse({}, { status: 401 })]);
  await assert.rejects(async () => {
    for await (const _ of client.events.stream({ after: "evt_0" }));
  });
  assert.equal(sent[1].headers.get("Last-Event-ID"), null);
  assert.equal(new URL(sent[1].url).search, "?after=evt_1");
});

test("a redirect hidden by a browser is an error", async () => {
  const hidden = () => ({ type: "opaqueredirect", status: 0, headers: new Headers(), body: null });
  await assert.rejects(mockClient([hidden]).client.me(), { name: "APIError", status: 0, message: /redirects/ });
});

test("a message is verified as bytes or text, with Headers or a plain object", async () => {
  const webhook = new Webhook(SECRET);
  for (const body of [BODY, Buffer.from(BODY), new TextEncoder().encode(BODY).buffer]) {
    assert.equal((await webhook.verify(body, new Headers(HEADERS), NOW)).data.post.title, "Grüße");
  }
  await assert.rejects(webhook.verify(JSON.parse(BODY), HEADERS, NOW), { name: "ConfigurationError" });
  await assert.rejects(webhook.verify(BODY, HEADERS), { name: "WebhookSignatureError" });
});

test("without a global crypto, the crypto module of Node.js is used", async (t) => {
  const found = Object.getOwnPropertyDescriptor(globalThis, "crypto");
  if (found) {
    Object.defineProperty(globalThis, "crypto", { value: undefined, configurable: true });
    t.after(() => Object.defineProperty(globalThis, "crypto", found));
  }
  await new Webhook(SECRET).verify(BODY, HEADERS, NOW);
  const { client, sent } = mockClient([jsonResponse({})]);
  await client.posts.create({ title: "x" });
  assert.equal(sent[0].headers.get("Idempotency-Key").length, 36);
});
