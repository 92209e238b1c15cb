import assert from "node:assert/strict";
import { test } from "node:test";
import { EDITS, isUrl, link, nextMarker } from "../../static/desk/markdown-edits.js";
import { applied, field } from "./fields.js";

const linked = (text, url) => applied(text, link(field(text), url));
const edited = (name, text) => applied(text, EDITS[name](field(text)));

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

test("text is indented by two spaces, items below the one above them", () => {
  assert.equal(edited("indent", "wo|rd"), "  wo|rd");
  assert.equal(edited("outdent", "  wo|rd"), "wo|rd");
  assert.equal(edited("indent", "- one\n- tw|o"), "- one\n  - tw|o");
  assert.equal(EDITS.outdent(field("wo|rd")), null);
});

test("a table begins after an empty line, with its first heading selected", () => {
  assert.match(EDITS.table(field("text|")).text, /^\n\n\| One \|/);
  assert.match(EDITS.table(field("text\n|")).text, /^\n\| One \|/);
  assert.match(EDITS.table(field("|")).text, /^\| One \|/);
  const { select, start, text } = EDITS.table(field("text|"));
  assert.equal(text.slice(select[0] - start, select[1] - start), "One");
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

test("the caret of a new link goes to what is missing", () => {
  assert.equal(linked("«word»"), "[word](|)");
  assert.equal(linked("«https://x.example»"), "[|](https://x.example)");
  assert.equal(linked("«word»", "https://x.example"), "[word](https://x.example)|");
  assert.equal(linked("a | b"), "a [|]() b");
});

test("the word around the caret becomes a link, and a link shows its address", () => {
  assert.equal(linked("a wo|rd b"), "a [word](|) b");
  assert.equal(linked("a [wo|rd](https://x.example) b"), "a [word](«https://x.example») b");
});

test("the URL around the caret becomes a link whose text is missing", () => {
  assert.equal(linked("see https://x.exam|ple/a_b, and"), "see [|](https://x.example/a_b), and");
  assert.equal(linked("(https://x.example/|a)"), "([|](https://x.example/a))");
  assert.equal(linked("https://x.exam|ple/b_(c) d"), "[|](https://x.example/b_(c)) d");
  assert.equal(linked("<https://x.exam|ple>"), "[|](https://x.example)");
});

test("only a complete URL is a URL", () => {
  assert.ok(isUrl("https://example.com/a?b#c"));
  assert.ok(isUrl("mailto:ann@example.com"));
  assert.ok(!isUrl("see https://example.com"));
  assert.ok(!isUrl("javascript:alert(1)"));
});
