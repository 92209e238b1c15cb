// @ts-check
// Lines of Markdown: what they begin with, and whether they are code.
import { FENCE, HEADING, PREFIX } from "./markdown-highlight.js";

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

/**
 * Return the lines of the code block around an index, up to the line of the index, or null outside of code.
 * @param {string} value
 * @param {number} index
 * @returns {string[] | null}
 */
export function codeBefore(value, index) {
  /** @type {string | undefined} */
  let open;
  /** @type {string[]} */
  let lines = [];
  for (const line of value.slice(0, lineAt(value, index).start).split("\n").slice(0, -1)) {
    const fence = FENCE.exec(line)?.[1];
    if (open === undefined) {
      open = fence;
      lines = [];
    } else if (fence?.startsWith(open) && line.trim() === fence) open = undefined;
    else lines.push(line);
  }
  return open === undefined ? null : lines;
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
