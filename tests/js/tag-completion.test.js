import "./environment.js";
import assert from "node:assert/strict";
import { test } from "node:test";

const { completedTag, tagAt } = await import("../../static/desk/tag-completion.js");

test("the tag around the caret lies between two commas", () => {
  const value = "Lisbon, fer, boats";
  assert.deepEqual(tagAt(value, 0), [0, 6]);
  assert.deepEqual(tagAt(value, 11), [7, 11]);
  assert.deepEqual(tagAt(value, 18), [12, 18]);
  assert.deepEqual(tagAt("", 0), [0, 0]);
});

test("a completed tag is separated from its neighbours", () => {
  assert.equal(completedTag("fer", 0, 3, "ferries"), "ferries, ");
  assert.equal(completedTag("Lisbon, fer, boats", 7, 11, "ferries"), " ferries");
});

test("a tag with a comma is quoted", () => {
  assert.equal(completedTag("x", 0, 1, "Paris, Texas"), '"Paris, Texas", ');
});
