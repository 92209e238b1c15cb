import assert from "node:assert/strict";
import { test } from "node:test";
import { codeBefore } from "../../static/desk/markdown-lines.js";
import { continueLine, indentLines, outdentLines } from "../../static/desk/markdown-lists.js";
import { applied, field } from "./fields.js";

const afterEnter = (text) => applied(text, continueLine(field(text)));
const indented = (text) => applied(text, indentLines(field(text)));
const outdented = (text) => applied(text, outdentLines(field(text)));

test("a list or quotation continues on the next line", () => {
  assert.equal(afterEnter("- one|"), "- one\n- |");
  assert.equal(afterEnter("  9) nine|"), "  9) nine\n  10) |");
  assert.equal(afterEnter("- [x] done|"), "- [x] done\n- [ ] |");
  assert.equal(afterEnter("> said|"), "> said\n> |");
  assert.equal(afterEnter("> - one|"), "> - one\n> - |");
  assert.equal(afterEnter("- one| two"), "- one\n- | two");
  assert.equal(afterEnter("- one\n  more|"), "- one\n  more\n  |");
});

test("an empty item ends the list with a blank line", () => {
  assert.equal(afterEnter("- one\n- |"), "- one\n\n|");
  assert.equal(afterEnter("- |"), "|");
  assert.equal(afterEnter("> said\n> |"), "> said\n\n|");
  assert.equal(afterEnter("> - one\n> - |"), "> - one\n>\n> |");
});

test("an empty nested item goes one level out", () => {
  assert.equal(afterEnter("- one\n  - two\n  - |"), "- one\n  - two\n- |");
  assert.equal(afterEnter("1. one\n   - two\n   - |"), "1. one\n   - two\n2. |");
  assert.equal(afterEnter("- [x] one\n  - [ ] two\n  - [ ] |"), "- [x] one\n  - [ ] two\n- [ ] |");
  assert.equal(afterEnter("- a\n  - b\n    - c\n    - |"), "- a\n  - b\n    - c\n  - |");
  assert.equal(afterEnter("> > said\n> > |"), "> > said\n>\n> |");
});

test("code keeps its indentation, and nothing else of a list", () => {
  assert.equal(afterEnter("```\n    if a:|"), "```\n    if a:\n    |");
  assert.equal(afterEnter("```\n\tx|"), "```\n\tx\n\t|");
  assert.equal(continueLine(field("```\n- no list|")), null);
});

test("nothing continues outside of lists and with a selection", () => {
  assert.equal(continueLine(field("text|")), null);
  assert.equal(continueLine(field("|- one")), null);
  assert.equal(continueLine(field("It was in\n1986.|")), null);
  assert.equal(continueLine(field("Title\n-|")), null);
  assert.equal(continueLine(field("«- one»")), null);
});

test("an item becomes part of the one above it", () => {
  assert.equal(indented("- one\n- tw|o"), "- one\n  - tw|o");
  assert.equal(indented("1. one\n2. two|"), "1. one\n   1. two|");
  assert.equal(indented("10. one\n- two|"), "10. one\n    - two|");
  assert.equal(indented("1. one\n   1. two\n2. three|"), "1. one\n   1. two\n   2. three|");
  assert.equal(indented("- one\n«- two\n- three»"), "- one\n«  - two\n  - three»");
  assert.equal(indented("> - one\n> - two|"), "> - one\n>   - two|");
  assert.equal(indentLines(field("- one|")), null);
  assert.equal(indentLines(field("- one\n  - two|")), null);
  assert.equal(indentLines(field("text|")), undefined);
});

test("an item comes back to the level above, and is counted on there", () => {
  assert.equal(outdented("- one\n  - tw|o"), "- one\n- tw|o");
  assert.equal(outdented("1. one\n   1. two|"), "1. one\n2. two|");
  assert.equal(outdented("- a\n  - b\n    - c|"), "- a\n  - b\n  - c|");
  assert.equal(outdentLines(field("- one|")), null);
  assert.equal(outdentLines(field("text|")), undefined);
});

test("code is indented as the lines above it", () => {
  assert.equal(indented("```\n|a"), "```\n    |a");
  assert.equal(indented("```\n  a\n|b"), "```\n  a\n  |b");
  assert.equal(indented("```\n\ta\n|b"), "```\n\ta\n\t|b");
  assert.equal(indented("```\n«a\n\nb»\n```"), "```\n«    a\n\n    b»\n```");
  assert.equal(outdented("```\n    a|"), "```\na|");
  assert.equal(outdented("~~~\n\ta|"), "~~~\na|");
});

test("a shorter fence does not end code, and closed code is text again", () => {
  assert.equal(afterEnter("````\n```\n  a|"), "````\n```\n  a\n  |");
  assert.equal(afterEnter("```\na\n```\n- one|"), "```\na\n```\n- one\n- |");
});

test("a fence behind the mark of an item or a quotation begins code, which ends there", () => {
  const inCode = (text) => codeBefore(field(text).value, field(text).selectionStart) !== null;
  assert.ok(inCode("- ```js\n  a|"));
  assert.ok(!inCode("- ```js\n  a\n  ```\n  text|"));
  assert.ok(!inCode("- ```js\n  a\n\nText of no item|"));
  assert.ok(inCode("1. one\n   - two\n\n     ```\n     a|"));
  assert.ok(!inCode("1. one\n   - two\n\n     ```\n     a\n     ```\n\nText|"));
  assert.ok(inCode("> ```\n> a|"));
  assert.ok(!inCode("> ```\n> a\nNo quotation|"));
  assert.ok(inCode("```\n- ```\n|"));
  assert.ok(inCode("```\n     ```\n|"));
  assert.ok(inCode("```\n> ```\na|"));
  assert.ok(!inCode("```\n> ```\n```\ntext|"));
  assert.ok(!inCode("Text.\n\n    ```\n\ntext|"));
});

test("a list that begins with zero is counted on", () => {
  assert.equal(afterEnter("0. zero|"), "0. zero\n1. |");
  assert.equal(afterEnter("999999999. last|"), "999999999. last\n999999999. |");
});

test("a rule is no list", () => {
  assert.equal(continueLine(field("* * *|")), null);
  assert.equal(continueLine(field("- - -|")), null);
  assert.equal(indentLines(field("* * *|")), undefined);
});

test("a tab counts as the columns up to the next multiple of four", () => {
  assert.equal(afterEnter("- a\n\t- b\n\t- |"), "- a\n\t- b\n- |");
  assert.equal(outdented("- a\n\t- b|"), "- a\n- b|");
  assert.equal(indented("- a\n\t- b\n\t- c|"), "- a\n\t- b\n      - c|");
});
