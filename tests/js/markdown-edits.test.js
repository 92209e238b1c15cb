import assert from "node:assert/strict";
import { test } from "node:test";
import { continueList, EDITS, isUrl, link, nextMarker } from "../../static/desk/markdown-edits.js";

/** Read a text in which "«" and "»" stand for the selection, or "|" for the caret. */
function field(text) {
  const [before, selected, after] = text.replace("|", "«»").split(/[«»]/);
  return {
    value: before + selected + after,
    selectionStart: before.length,
    selectionEnd: before.length + selected.length,
  };
}

/** Return the text after an edit, written in the same way. */
function applied(text, edit) {
  const { value } = field(text);
  const after = value.slice(0, edit.start) + edit.text + value.slice(edit.end);
  const [from, to] = edit.select ?? [edit.start + edit.text.length, edit.start + edit.text.length];
  if (from === to) return `${after.slice(0, from)}|${after.slice(from)}`;
  return `${after.slice(0, from)}«${after.slice(from, to)}»${after.slice(to)}`;
}

const edited = (name, text) => applied(text, EDITS[name](field(text)));
const afterEnter = (text) => applied(text, continueList(field(text)));

test("a mark is put around the selection and removed again", () => {
  assert.equal(edited("bold", "a «word» b"), "a **«word»** b");
  assert.equal(edited("bold", "a **«word»** b"), "a «word» b");
  assert.equal(edited("italic", "«*word*»"), "«word»");
  assert.equal(edited("bold", "a | b"), "a **|** b");
});

test("code over several lines becomes a block", () => {
  assert.equal(edited("code", "a «word»"), "a `«word»`");
  assert.equal(edited("code", "«one\ntwo\n»"), "```\none\ntwo\n```|");
});

test("the caret of a new link goes to what is missing", () => {
  const selectWith = (value, url) => link({ value, selectionStart: 0, selectionEnd: value.length }, url);
  assert.deepEqual(selectWith("word"), { start: 0, end: 4, text: "[word]()", select: [7, 7] });
  assert.deepEqual(selectWith("https://x.example"), {
    start: 0,
    end: 17,
    text: "[](https://x.example)",
    select: [1, 1],
  });
  assert.deepEqual(selectWith("word", "https://x.example"), {
    start: 0,
    end: 4,
    text: "[word](https://x.example)",
    select: [25, 25],
  });
});

test("only a complete URL is a URL", () => {
  assert.ok(isUrl("https://example.com/a?b#c"));
  assert.ok(isUrl("mailto:ann@example.com"));
  assert.ok(!isUrl("see https://example.com"));
  assert.ok(!isUrl("javascript:alert(1)"));
});

test("a heading goes through levels two and three and back to text", () => {
  assert.equal(edited("heading", "wo|rd"), "## wo|rd");
  assert.equal(edited("heading", "## wo|rd"), "### wo|rd");
  assert.equal(edited("heading", "### wo|rd"), "wo|rd");
});

test("list prefixes replace each other and are removed when all lines have them", () => {
  assert.equal(edited("bullets", "«one\ntwo»"), "«- one\n- two»");
  assert.equal(edited("numbers", "«- one\n\n  - two»"), "«1. one\n\n  2. two»");
  assert.equal(edited("tasks", "«1. one\n2. two»"), "«- [ ] one\n- [ ] two»");
  assert.equal(edited("bullets", "«- one\n- two»"), "«one\ntwo»");
  assert.equal(edited("quote", "«one\n> two»"), "«> one\n> > two»");
});

test("a prefix goes to the line of the caret, and to no line behind it", () => {
  assert.equal(edited("bullets", "|\nb"), "- |\nb");
  assert.equal(edited("bullets", "a\n«b\n»c"), "a\n«- b»\nc");
});

test("items are indented by the width of their mark", () => {
  assert.equal(edited("indent", "«- one\n1. two»"), "«  - one\n   1. two»");
  assert.equal(edited("outdent", "«  - one\n   1. two»"), "«- one\n1. two»");
  assert.equal(EDITS.outdent(field("wo|rd")), null);
});

test("a table begins after an empty line, with its first heading selected", () => {
  assert.match(EDITS.table(field("text|")).text, /^\n\n\| One \|/);
  assert.match(EDITS.table(field("text\n|")).text, /^\n\| One \|/);
  assert.match(EDITS.table(field("|")).text, /^\| One \|/);
  const { select, start, text } = EDITS.table(field("text|"));
  assert.equal(text.slice(select[0] - start, select[1] - start), "One");
});

test("a list continues on the next line", () => {
  assert.equal(afterEnter("- one|"), "- one\n- |");
  assert.equal(afterEnter("  9) nine|"), "  9) nine\n  10) |");
  assert.equal(afterEnter("- [x] done|"), "- [x] done\n- [ ] |");
  assert.equal(afterEnter("> said|"), "> said\n> |");
  assert.equal(afterEnter("- one| two"), "- one\n- | two");
});

test("an empty item ends the list", () => {
  assert.equal(afterEnter("- one\n- |"), "- one\n|");
});

test("nothing continues outside of lists and within code", () => {
  assert.equal(continueList(field("text|")), null);
  assert.equal(continueList(field("```\n- no list|")), null);
  assert.equal(continueList(field("«- one»")), null);
});

test("the next marker is the first one behind the caret, then the first of all", () => {
  const text = "TK\none TK, TKTK\nend";
  assert.deepEqual(nextMarker(text, 0, [0, 1]), { line: 0, from: 0, to: 2 });
  assert.deepEqual(nextMarker(text, 2, [0, 1, 1]), { line: 1, from: 4, to: 6 });
  assert.deepEqual(nextMarker(text, 9, [0, 1]), { line: 1, from: 8, to: 12 });
  assert.deepEqual(nextMarker(text, 19, [0, 1]), { line: 0, from: 0, to: 2 });
  assert.equal(nextMarker("no marker", 0, [0]), undefined);
});

test("blocks are inserted behind a blank line", () => {
  assert.equal(edited("divider", "a|"), "a\n\n---\n|");
  assert.equal(edited("divider", "a\n\n|b"), "a\n\n---\n|b");
  assert.equal(edited("block", "a\n|"), "a\n\n```\n|\n```\n");
  assert.equal(edited("block", "«one\ntwo\n»"), "```\n«one\ntwo»\n```\n");
});

test("a footnote has the next number, and its text is at the end", () => {
  assert.equal(edited("footnote", "A claim|, and more.\n"), "A claim[^1], and more.\n\n[^1]: |");
  assert.equal(edited("footnote", "One[^3]. Two|.\n\n[^3]: Note."), "One[^3]. Two[^4].\n\n[^3]: Note.\n[^4]: |");
});
