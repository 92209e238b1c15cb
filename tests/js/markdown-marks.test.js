import assert from "node:assert/strict";
import { test } from "node:test";
import { code, markedParts, toggleMark } from "../../static/desk/markdown-marks.js";
import { applied, field } from "./fields.js";

const bold = (text) => applied(text, toggleMark(field(text), "**"));
const italic = (text) => applied(text, toggleMark(field(text), "*"));
const coded = (text) => applied(text, code(field(text)));

test("a mark begins at the caret, and the same key leaves it", () => {
  assert.equal(bold("a | b"), "a **|** b");
  assert.equal(bold("a **word|** b"), "a **word**| b");
  assert.equal(bold("a **word |** b"), "a **word** | b");
  assert.equal(italic("*word|*"), "*word*|");
  assert.equal(italic("_word|_"), "_word_|");
  assert.equal(coded("`word|`"), "`word`|");
});

test("the same key twice leaves nothing behind", () => {
  assert.equal(bold("a **|** b"), "a | b");
  assert.equal(italic("a *|*"), "a |");
  assert.equal(coded("a `|`"), "a |");
  assert.equal(bold("***|***"), "*|*");
});

test("bold and italic are left one by one", () => {
  assert.equal(italic("***word|***"), "***word*|**");
  assert.equal(bold("***word|***"), "***word**|*");
  assert.equal(bold("***word* more|**"), "***word* more**|");
});

test("the caret goes back into the mark beside it", () => {
  assert.equal(bold("**word**| more"), "**word|** more");
  assert.equal(bold("|**word** more"), "**|word** more");
});

test("the word around the caret is marked, and unmarked again", () => {
  assert.equal(bold("a wo|rd b"), "a **wo|rd** b");
  assert.equal(bold("a **wo|rd** b"), "a wo|rd b");
  assert.equal(bold("**two wo|rds**"), "two wo|rds");
  assert.equal(italic("don|'t"), "*don|'t*");
  assert.equal(coded("snake_ca|se"), "`snake_ca|se`");
  assert.equal(bold("naïve: Stra|ße"), "naïve: **Stra|ße**");
});

test("a caret at the edge of a word begins a mark", () => {
  assert.equal(bold("word|"), "word**|**");
  assert.equal(bold("|word"), "**|**word");
});

test("a mark is put around the selection and removed again", () => {
  assert.equal(bold("a «word» b"), "a **«word»** b");
  assert.equal(bold("a **«word»** b"), "a «word» b");
  assert.equal(italic("«*word*»"), "«word»");
  assert.equal(bold("«***word***»"), "*«word»*");
});

test("italic leaves bold as it is", () => {
  assert.equal(italic("**«word»**"), "***«word»***");
  assert.equal(italic("***«word»***"), "**«word»**");
  assert.equal(italic("**wo|rd**"), "***wo|rd***");
});

test("spaces at the ends of a selection stay outside of the mark", () => {
  assert.equal(bold("a« word »b"), "a **«word»** b");
  assert.equal(bold("«  »"), "«  »");
});

test("a selection takes the marks within it along, and leaves those around it", () => {
  assert.equal(bold("«one **two** three»"), "**«one two three»**");
  assert.equal(bold("**one «two» three**"), "**one** «two» **three**");
  assert.equal(bold("one «two **three» four**"), "one **«two three four»**");
});

test("no character is lost where marks are inside of others", () => {
  assert.equal(italic("«see _the *Times* today_ and more»"), "*«see the Times today and more»*");
  assert.equal(bold("«**a __b__ c** and»"), "**«a b c and»**");
});

test("each line of a selection is marked behind its list mark", () => {
  assert.equal(bold("«one\n\n- two\n## three»"), "«**one**\n\n- **two**\n## **three**»");
  assert.equal(bold("«**one**\n\n- **two**»"), "«one\n\n- two»");
  assert.equal(bold("«**one**\ntwo»"), "«**one**\n**two**»");
});

test("the marks of code, addresses and escaped characters are none", () => {
  const found = (line, mark) => markedParts(line, mark).map(({ start, end }) => line.slice(start, end));
  assert.deepEqual(found("`**a**` **b** \\**c** [d](x**e**y)", "**"), ["b"]);
  assert.deepEqual(found("snake_case_name and 2 * 3 * 4", "*"), []);
  assert.deepEqual(found("***a** b*", "**"), ["a"]);
  assert.deepEqual(found("***a** b*", "*"), ["**a** b"]);
  assert.deepEqual(found("*a **b** c*", "*"), ["a **b** c"]);
  assert.deepEqual(found("foo***bar***baz", "**"), ["bar"]);
  assert.deepEqual(found("`` a`b `` `c`", "`"), [" a`b ", "c"]);
});

test("code over several lines becomes a block, and backticks in code a longer mark", () => {
  assert.equal(coded("a «word»"), "a `«word»`");
  assert.equal(coded("«one\ntwo\n»"), "```\none\ntwo\n```|");
  assert.equal(coded("«a `b» c"), "``«a `b»`` c");
  assert.equal(coded("«`»"), "`` «`» ``");
});

test("code and definitions among the selected lines stay as they are", () => {
  assert.equal(bold("«one\n```\ncode\n```\ntwo»"), "«**one**\n```\ncode\n```\n**two**»");
  assert.equal(bold("«one\n\n[x]: https://x.example»"), "«**one**\n\n[x]: https://x.example»");
  assert.equal(bold("«- one\n\n  ```\n  code\n  ```»"), "«- **one**\n\n  ```\n  code\n  ```»");
});

test("nothing is marked within a code block", () => {
  assert.equal(toggleMark(field("```\nco|de\n```"), "**"), null);
  assert.equal(toggleMark(field("```\n«code»\n```"), "*"), null);
  assert.equal(code(field("- ```\n  co|de")), null);
});
