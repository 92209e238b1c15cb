import assert from "node:assert/strict";
import { test } from "node:test";

import { messages } from "../src/sse.js";
import { problem, told } from "./helpers.js";

const TEXT =
  'retry: 3000\r\n\r\n:\n\nid: evt_0\n\nid: evt_1\revent: x\rdata: {"a":\rdata: 1}\r\rid: evt_2\r\ndata:b\r\n\r\ndata: cut off\n';

async function read(parts) {
  const found = [];
  for await (const message of messages(parts)) found.push(message);
  return found;
}

test("messages are the same however their text is cut", async () => {
  const expected = [
    { id: "evt_0", data: null },
    { id: "evt_1", data: '{"a":\n1}' },
    { id: "evt_2", data: "b" },
  ];
  for (let at = 0; at <= TEXT.length; at += 1)
    assert.deepEqual(await read([TEXT.slice(0, at), TEXT.slice(at)]), expected);
  assert.deepEqual(await read([...TEXT]), expected);
});

function stream(begin, ...ids) {
  const text = ids.map((id) => `id: ${id}\ndata: {"id":"${id}"}\n\n`).join("");
  return new Response(`retry: 3000\nid: ${begin}\n\n${text}`, { headers: { "Content-Type": "text/event-stream" } });
}

test("a stream comes back where it broke off, and ends with what no retry mends", async () => {
  const { client, sent, log } = told([stream("evt_0"), stream("evt_0", "evt_1"), problem(401, "unauthorized")]);
  const heard = [];
  const listening = async () => {
    for await (const event of client.events.stream({ postId: "post_1" })) heard.push(event.id);
  };
  await assert.rejects(listening, { name: "AuthenticationError" });
  assert.deepEqual(heard, ["evt_1"]);
  assert.equal(new URL(sent[1].url).search, "?postId=post_1");
  assert.deepEqual(
    sent.map(({ headers }) => headers.get("Last-Event-ID")),
    [null, "evt_0", "evt_1"],
  );
  assert.deepEqual(
    log.map(({ status, error }) => status ?? error),
    [200, "ConnectionError", 200, "ConnectionError", 401],
  );
});

test("a stream that never stood ends as any request does", async () => {
  const { client, sent } = told([problem(503, "unavailable", { "Retry-After": "0" })]);
  const listening = client.events.stream({ after: "evt_0" }, { maxRetries: 1 });
  await assert.rejects(listening.next(), { name: "ServerError" });
  assert.equal(sent.length, 2);
});

test("leaving a stream closes its connection", async () => {
  let isOpen = true;
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode("id: 1\ndata: {}\n\n")),
  });
  const endless = (_, { signal }) => {
    signal.addEventListener("abort", () => (isOpen = false));
    return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
  };
  for await (const _ of told([endless]).client.events.stream({ after: "evt_0" })) break;
  assert.equal(isOpen, false);
});
