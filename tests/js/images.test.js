import "./environment.js";
import assert from "node:assert/strict";
import { test } from "node:test";

const { movedIndex, placeholderFor } = await import("../../static/desk/image-placeholders.js");
const { filesOf } = await import("../../static/desk/image-paste.js");
const { problemOf } = await import("../../static/desk/image-upload.js");

test("a placeholder names its file without characters of Markdown, and is unique", () => {
  const taken = new Set(["![Uploading ferry.jpg…]()", "![Uploading ferry.jpg (2)…]()"]);
  assert.equal(
    placeholderFor("ferry.jpg", (one) => taken.has(one)),
    "![Uploading ferry.jpg (3)…]()",
  );
  assert.equal(
    placeholderFor("a](b)_*.png", () => false),
    "![Uploading a  b   .png…]()",
  );
  assert.equal(
    placeholderFor("", () => false),
    "![Uploading image…]()",
  );
});

test("an index keeps its place when text before it is replaced", () => {
  assert.equal(movedIndex(2, 5, 10, 3), 2);
  assert.equal(movedIndex(7, 5, 10, 3), 5);
  assert.equal(movedIndex(10, 5, 10, 3), 8);
  assert.equal(movedIndex(20, 5, 10, 9), 24);
});

test("a file that can't be uploaded is refused with the reason", () => {
  const size = 20 * 1024 * 1024;
  assert.equal(problemOf({ name: "a.png", type: "image/png", size }), null);
  assert.match(problemOf({ name: "doc.pdf", type: "application/pdf", size: 1 }), /^doc\.pdf isn't an image\. Use JPEG/);
  assert.match(problemOf({ name: "a.png", type: "image/png", size: size + 1 }), /^a\.png is larger than 20 MiB\./);
});

test("text that is pasted with its own image is text", () => {
  const files = [{ name: "a.png" }];
  assert.deepEqual(filesOf({ types: ["Files"], files }), files);
  assert.deepEqual(filesOf({ types: ["text/plain", "Files"], files }), []);
});
