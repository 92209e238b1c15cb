import assert from "node:assert/strict";
import { createReadStream } from "node:fs";
import { test } from "node:test";

import { ConfigurationError } from "../src/index.js";
import { connectionError, jsonResponse, mockClient } from "./helpers.js";

const PATH = new URL(import.meta.url);

async function uploaded(file, options) {
  const { client, sent } = mockClient([connectionError("ECONNRESET"), jsonResponse({})]);
  await client.media.upload(file, { alt: "ñ" }, options);
  const [first, second] = sent;
  assert.deepEqual(second.body, first.body, "each attempt must send the same bytes under the same key");
  const form = await new Response(first.body, {
    headers: { "Content-Type": first.headers.get("Content-Type") },
  }).formData();
  assert.equal(form.get("alt"), "ñ");
  return form.get("file");
}

test("a file can be a path, a Blob, bytes or a stream", async () => {
  assert.equal((await uploaded(PATH)).name, "uploads.test.js");
  const blob = new Blob(["x"]);
  for (const file of [
    blob,
    blob.stream(),
    new TextEncoder().encode("x"),
    await blob.arrayBuffer(),
    createReadStream(PATH, { end: 0 }),
  ]) {
    const { name, size } = await uploaded(file, { filename: 'größe "1".png' });
    assert.equal(name.replaceAll("%22", '"'), 'größe "1".png');
    assert.equal(size, 1);
  }
});

test("a file without a name and an invalid file are rejected", async () => {
  const { client } = mockClient([jsonResponse({})]);
  await assert.rejects(client.media.upload(new Blob(["x"])), ConfigurationError);
  await assert.rejects(client.media.upload(7, {}, { filename: "x" }), ConfigurationError);
  await assert.rejects(client.media.upload("no/such/file.png"), { code: "ENOENT" });
});
