import assert from "node:assert/strict";
import { createReadStream } from "node:fs";
import { test } from "node:test";

import { ConfigurationError } from "../src/index.js";
import { json, lost, told } from "./helpers.js";

const PATH = new URL(import.meta.url);

async function uploaded(file, options) {
  const { client, sent } = told([lost("ECONNRESET"), json({})]);
  await client.media.upload(file, { alt: "ñ" }, options);
  const [first, second] = sent;
  assert.deepEqual(second.body, first.body, "an attempt with other bytes would be another request under the same key");
  const form = await new Response(first.body, {
    headers: { "Content-Type": first.headers.get("Content-Type") },
  }).formData();
  assert.equal(form.get("alt"), "ñ");
  return form.get("file");
}

test("files come in many shapes", async () => {
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

test("what has no name, and what is no file, is refused", async () => {
  const { client } = told([json({})]);
  await assert.rejects(client.media.upload(new Blob(["x"])), ConfigurationError);
  await assert.rejects(client.media.upload(7, {}, { filename: "x" }), ConfigurationError);
  await assert.rejects(client.media.upload("no/such/file.png"), { code: "ENOENT" });
});
