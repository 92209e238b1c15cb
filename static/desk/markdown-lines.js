// @ts-check
// Lines of Markdown: what they begin with, and whether they are code.
import { HEADING, PREFIX } from "./markdown-highlight.js";

/**
 * Return the line at an index and its place in the text, without its line break.
 * @param {string} value
 * @param {number} index
 */
export function lineAt(value, index) {
  const start = value.lastIndexOf("\n", index - 1) + 1;
  const found = value.indexOf("\n", index);
  const end = found < 0 ? value.length : found;
  return { start: index ? start : 0, end, text: value.slice(index ? start : 0, end) };
}

/**
 * Return where the text of a line begins, behind the marks of quotations, lists and headings.
 * @param {string} line
 */
export function endOfPrefix(line) {
  const prefix = PREFIX.exec(line)?.[0].length ?? 0;
  HEADING.lastIndex = prefix;
  const end = HEADING.test(line) ? HEADING.lastIndex : prefix;
  return end + line.slice(end).length - line.slice(end).trimStart().length;
}

// A fence, also one behind the marks of quotations and list items.
const OPENING = /^((?:[ \t]*>)*)([ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(`{3,}(?=[^`]*$)|~{3,})/;
const CLOSING = /^((?:[ \t]*>)*)([ \t]*)(`{3,}|~{3,})[ \t]*$/;
const QUOTE = /^(?:[ \t]*>)*/;
const ITEM = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;

/** @typedef {{ fence: string, depth: number, column: number, isInItem: boolean }} CodeBlock */

/**
 * Return what each line is to code blocks: a fence, code, or "" outside of them; and the block that is open at the end.
 * @param {string[]} lines
 */
export function readCode(lines) {
  /** @type {CodeBlock | null} */
  let open = null;
  let isList = false; // the last text was in a list, in which a fence may be indented
  const kinds = lines.map((line) => {
    if (open && !isWithin(line, open)) open = null;
    if (!open) {
      if (/\S/.test(line)) isList = ITEM.test(line) || (isList && /^\s/.test(line));
      const [, quote, before, fence] = OPENING.exec(line) ?? [];
      if (!fence || (before.length > 3 && !isList)) return ""; // or indented code
      open = { fence, depth: depthOf(quote), column: before.length, isInItem: /\S/.test(before) };
      return "fence";
    }
    const [, quote, indent, fence] = CLOSING.exec(line) ?? [];
    const isEnd = fence?.startsWith(open.fence) && depthOf(quote) === open.depth && indent.length < open.column + 4;
    if (!isEnd) return "code";
    open = null;
    return "fence";
  });
  return { kinds, open: /** @type {CodeBlock | null} */ (open) };
}

/**
 * Return whether a line may belong to a code block: it ends with the quotation or the item that it is in.
 * @param {string} line
 * @param {CodeBlock} block
 */
function isWithin(line, { depth, column, isInItem }) {
  const quote = QUOTE.exec(line)?.[0] ?? "";
  const rest = line.slice(quote.length);
  const indent = rest.length - rest.trimStart().length;
  return depthOf(quote) >= depth && (!isInItem || !rest.trim() || indent >= Math.min(column, 2));
}

/** @param {string} quote */
const depthOf = (quote) => quote.split(">").length - 1;

/**
 * Return the lines of the code block around an index, up to the line of the index, or null outside of code.
 * @param {string} value
 * @param {number} index
 * @returns {string[] | null}
 */
export function codeBefore(value, index) {
  const line = lineAt(value, index);
  const lines = value.slice(0, line.start).split("\n").slice(0, -1);
  const { kinds, open } = readCode(lines);
  return open && isWithin(line.text, open) ? lines.slice(kinds.lastIndexOf("fence") + 1) : null;
}

/**
 * Change every line that the selection touches. Return null if nothing changes.
 * @param {TextSelection} field
 * @param {(lines: string[]) => string[]} change
 * @returns {TextEdit | null}
 */
export function changeLines({ selectionStart, selectionEnd, value }, change) {
  const { start } = lineAt(value, selectionStart);
  const isAfterBreak = selectionEnd > selectionStart && value[selectionEnd - 1] === "\n";
  const { end } = lineAt(value, isAfterBreak ? selectionEnd - 1 : selectionEnd);
  const old = value.slice(start, end);
  const text = change(old.split("\n")).join("\n");
  if (text === old) return null;
  if (selectionStart !== selectionEnd) return { start, end, text, select: [start, start + text.length] };
  const caret = Math.max(start, selectionStart + text.length - old.length);
  return { start, end, text, select: [caret, caret] };
}
