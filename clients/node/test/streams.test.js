import assert from "node:assert/strict";
import { test } from "node:test";

import { parseEvents } from "../src/sse.js";
import { mockClient, problemResponse } from "./helpers.js";

const TEXT =
  'retry: 3000\r\n\r\n:\n\nid: evt_0\n\nid: evt_1\revent: x\rdata: {"a":\rdata: 1}\r\rid: evt_2\r\ndata:b\r\n\r\ndata: cut off\n';

async function parse(chunks) {
  const events = [];
  for await (const event of parseEvents(chunks)) events.push(event);
  return events;
}

test("events are parsed from chunks of any size", async () => {
  const expected = [
    { id: "evt_0", data: null },
    { id: "evt_1", data: '{"a":\n1}' },
    { id: "evt_2", data: "b" },
  ];
  for (let at = 0; at <= TEXT.length; at += 1)
    assert.deepEqual(await parse([TEXT.slice(0, at), TEXT.slice(at)]), expected);
  assert.deepEqual(await parse([...TEXT]), expected);
});

function stream(start, ...ids) {
  const text = ids.map((id) => `id: ${id}\ndata: {"id":"${id}"}\n\n`).join("");
  return new Response(`retry: 3000\nid: ${start}\n\n${text}`, { headers: { "Content-Type": "text/event-stream" } });
}

test("a stream reconnects after the last event and ends with an error that a retry cannot fix", async () => {
  const unauthorized = problemResponse(401, "unauthorized");
  const { client, sent, log } = mockClient([stream("evt_0"), stream("evt_0", "evt_1"), unauthorized]);
  const received = [];
  const consume = async () => {
    for await (const event of client.events.stream({ postId: "post_1" })) received.push(event.id);
  };
  await assert.rejects(consume, { name: "AuthenticationError" });
  assert.deepEqual(received, ["evt_1"]);
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

test("a stream that never opened fails like any other request", async () => {
  const { client, sent } = mockClient([problemResponse(503, "unavailable", { "Retry-After": "0" })]);
  const events = client.events.stream({ after: "evt_0" }, { maxRetries: 1 });
  await assert.rejects(events.next(), { name: "ServerError" });
  assert.equal(sent.length, 2);
});

test("leaving the loop closes the connection of a stream", async () => {
  let isOpen = true;
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode("id: 1\ndata: {}\n\n")),
  });
  const endless = (_, { signal }) => {
    signal.addEventListener("abort", () => (isOpen = false));
    return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
  };
  for await (const _ of mockClient([endless]).client.events.stream({ after: "evt_0" })) break;
  assert.equal(isOpen, false);
});
