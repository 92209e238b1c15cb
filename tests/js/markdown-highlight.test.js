import assert from "node:assert/strict";
import { test } from "node:test";
import { commonEnds, scanLine } from "../../static/desk/markdown-highlight.js";

/** Return the highlighted texts of each line, as "name: text". */
function spansOf(...lines) {
  let state = null;
  return lines.map((text) => {
    const spans = [];
    state = scanLine(text, state, (name, start, end) => spans.push(`${name}: ${text.slice(start, end)}`));
    return spans;
  });
}

const spansIn = (text) => spansOf("", text)[1];

test("emphasis marks are highlighted in pairs", () => {
  assert.deepEqual(spansIn("a **b** and *c* and _d_"), [
    "mark: **",
    "mark: **",
    "mark: *",
    "mark: *",
    "mark: _",
    "mark: _",
  ]);
  assert.deepEqual(spansIn("2 * 3 * 4, snake_case_name, **open"), []);
});

test("code is highlighted between runs of backticks of the same length", () => {
  assert.deepEqual(spansIn("one `code` and `` two ` ticks ``"), [
    "mark: `",
    "code: code",
    "mark: `",
    "mark: ``",
    "code:  two ` ticks ",
    "mark: ``",
  ]);
  assert.deepEqual(spansIn("an `open run, *b*"), ["mark: *", "mark: *"]);
});

test("brackets and URLs of links are marks, the text between them is text", () => {
  assert.deepEqual(spansIn("[link](https://example.com/a_(b))"), ["mark: [", "mark: ](https://example.com/a_(b))"]);
  assert.deepEqual(spansIn('![alt](a.png "title")'), ["mark: ![", 'dim: ](a.png "title")']);
  assert.deepEqual(spansIn("[in [brackets]](u)"), ["mark: [", "mark: ](u)"]);
  assert.deepEqual(spansIn("[no link]"), []);
  assert.deepEqual(spansIn("A note[^1]."), ["mark: [^1]"]);
});

test("the marks of headings, lists and quotations are highlighted", () => {
  assert.deepEqual(spansIn("## What to see"), ["mark: ##", "head: What to see"]);
  assert.deepEqual(spansIn("- [x] a task, TK"), ["mark: - [x]", "tk: TK"]);
  assert.deepEqual(spansIn("> > 12. said"), ["mark: > > 12."]);
  assert.deepEqual(spansIn("#no heading"), []);
});

test("rules, definitions and the rules of tables are marks", () => {
  for (const line of ["---", "* * *", "|---|:-:|", "===", "[id]: https://example.com/"]) {
    assert.deepEqual(spansIn(line), [`mark: ${line}`]);
  }
  assert.deepEqual(spansIn("[^1]: A *foot*."), ["mark: [^1]:", "mark: *", "mark: *"]);
  assert.deepEqual(spansIn("| a | b |"), ["mark: |", "mark: |", "mark: |"]);
  assert.deepEqual(spansIn("a | b"), []);
});

test("escaped characters and tags are marks", () => {
  assert.deepEqual(spansIn("\\*plain\\* <kbd>Ctrl</kbd>"), ["mark: \\", "mark: \\", "mark: <kbd>", "mark: </kbd>"]);
});

test("a code fence lasts until one of at least its length", () => {
  assert.deepEqual(spansOf("", "````python", "# *no* heading", "```", "````", "*b*"), [
    [],
    ["mark: ````python"],
    ["code: # *no* heading"],
    ["code: ```"],
    ["mark: ````"],
    ["mark: *", "mark: *"],
  ]);
});

test("a rule in the first line does not begin front matter", () => {
  assert.deepEqual(spansOf("---", "title: *x*", "---", "TK"), [
    ["mark: ---"],
    ["mark: *", "mark: *"],
    ["mark: ---"],
    ["tk: TK"],
  ]);
});

test("common ends count from both sides and never overlap", () => {
  assert.deepEqual(commonEnds("abcd", "abxd"), [2, 1]);
  assert.deepEqual(commonEnds("aa", "aaa"), [2, 0]);
  assert.deepEqual(commonEnds("", "abc"), [0, 0]);
  assert.deepEqual(commonEnds(["a", "b", "c"], ["a", "c"]), [1, 1]);
});
