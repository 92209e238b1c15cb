import assert from "node:assert/strict";
import { test } from "node:test";
import { previewPosition } from "../../static/desk/preview-scroll.js";

const inText = [0, 100, 300, 1000];
const inPreview = [0, 200, 250, 500];

test("headings of the text and of the preview are scrolled to together", () => {
  for (const [index, position] of inText.entries()) {
    assert.equal(previewPosition(position, inText, inPreview), inPreview[index]);
  }
});

test("between headings the preview scrolls in proportion", () => {
  assert.equal(previewPosition(50, inText, inPreview), 100);
  assert.equal(previewPosition(200, inText, inPreview), 225);
});

test("the preview stops at its end", () => {
  assert.equal(previewPosition(2000, inText, inPreview), 500);
  assert.equal(previewPosition(10, [0, 0], [0, 0]), 0);
});
