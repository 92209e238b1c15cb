import "./environment.js";
import assert from "node:assert/strict";
import { test } from "node:test";

const { isSame, tidy } = await import("../../static/desk/autosave.js");

test("drafts are the same if the server would store them as the same", () => {
  assert.deepEqual(tidy({ title: "  On\nferries ", content: " as it is\n" }), {
    title: "On ferries",
    content: " as it is\n",
  });
  assert.ok(isSame({ title: "On ferries\n", content: "x" }, { title: "On  ferries", content: "x" }));
  assert.ok(!isSame({ title: "On ferries", content: "x" }, { title: "On ferries", content: "x " }));
  assert.ok(!isSame({ title: "On ferries", content: "x" }, { title: "Onferries", content: "x" }));
});
