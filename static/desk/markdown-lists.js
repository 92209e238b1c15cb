// @ts-check
// Lists, quotations and code: lines that continue, and their indentation. These functions compute an edit from the text
// and the selection; markdown-keys.js applies it.
import { changeLines, codeBefore, lineAt } from "./markdown-lines.js";

const LINE = /^((?:[ \t]*>)+ ?|)([ \t]*)(?:([-*+]|(\d{1,9})[.)])([ \t]+|$)(\[[ xX]\](?:[ \t]+|$))?)?/;
const RULE = /^(?:[ \t]*>)* {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const CODE_INDENT = "    ";
const MAX_NUMBER = 999_999_999; // of an item in CommonMark

/**
 * Read what a line begins with. `indent` is its white space behind the marks of quotations, and `column` where that
 * ends; `mark` is that of a list item, and `content` the column in which its text begins. `number` is null for bullets.
 * @param {string} line
 */
function read(line) {
  const found = /** @type {RegExpExecArray} */ (LINE.exec(RULE.test(line) ? "" : line));
  const [prefix, quote, indent, mark = "", number, space = "", task = ""] = found;
  const column = columnsOf(indent);
  const content = column + mark.length + (mark ? Math.max(1, space.length) : 0);
  const count = number === undefined ? null : Number(number);
  return { prefix, quote, indent, column, mark, number: count, space: space || " ", task, content };
}

/**
 * Return the width of white space. A tab goes to the next multiple of four (CommonMark 0.31.2, section 2.2).
 * @param {string} space
 */
function columnsOf(space) {
  let columns = 0;
  for (const one of space) columns += one === "\t" ? 4 - (columns % 4) : 1;
  return columns;
}

/** @typedef {ReturnType<typeof read>} Line */

/**
 * Return the mark of the item that follows an item.
 * @param {Line} item
 */
const nextMark = ({ mark, number }) =>
  number === null ? mark : mark.replace(/\d+/, String(Math.min(number + 1, MAX_NUMBER)));

/**
 * Return the nearest item above a line whose indentation is less than `most`, or null if there is none in its list.
 * @param {string} value
 * @param {number} start Where the line begins.
 * @param {string} quote
 * @param {number} most
 */
function itemAbove(value, start, quote, most) {
  for (let end = start - 1; end >= 0; ) {
    const { start: from, text } = lineAt(value, end);
    const line = read(text);
    const isText = text.trim() !== "" && !line.mark && !line.indent;
    if (line.quote.trimEnd() !== quote.trimEnd() || isText) return null;
    if (line.mark && line.column < most) return line;
    end = from - 1;
  }
  return null;
}

/**
 * Continue a list, a quotation or an indentation on a new line. From an empty item, go one level out.
 * @param {TextSelection} field
 * @returns {TextEdit | null} Null if the line has nothing to continue.
 */
export function continueLine({ selectionStart: caret, selectionEnd, value }) {
  if (caret !== selectionEnd) return null;
  const { start, text, end } = lineAt(value, caret);
  if (codeBefore(value, caret)) {
    const [indent] = /** @type {RegExpExecArray} */ (/^[ \t]*/.exec(text.slice(0, caret - start)));
    return indent ? { start: caret, end: caret, text: `\n${indent}` } : null;
  }
  const line = read(text);
  if (caret - start < line.prefix.length || !line.prefix) return null;
  if (line.mark && !/\s$/.test(line.prefix)) return null; // "1986." or the line below a heading, not an item yet
  if (text.length === line.prefix.length) return leave(value, start, end, line);
  const { quote, indent, mark, space, task } = line;
  const next = mark && nextMark(line) + space + (task && "[ ] ");
  return { start: caret, end: caret, text: `\n${quote}${indent}${next}` };
}

/**
 * Go one level out of a list or a quotation, in place of its empty line. A blank line ends it: without one, what
 * follows would belong to it.
 * @param {string} value
 * @param {number} start
 * @param {number} end
 * @param {Line} line
 * @returns {TextEdit}
 */
function leave(value, start, end, { quote, indent, column, mark }) {
  const parent = mark ? itemAbove(value, start, quote, column) : null;
  if (parent) {
    const { indent: outer, space, task } = parent;
    return { start, end, text: `${quote}${outer}${nextMark(parent)}${space}${task && "[ ] "}` };
  }
  const outer = mark || indent ? quote : quote.replace(/[ \t]*> ?$/, "");
  const isFirst = start === 0 || /\n[ \t>]*\n$/.test(`\n${value.slice(0, start)}`);
  const space = outer && !/\s$/.test(outer) ? " " : "";
  return { start, end, text: `${isFirst ? "" : `${outer.trimEnd()}\n`}${outer}${space}` };
}

/**
 * Indent the items of a list, or lines of code: an item becomes part of the one above it.
 * @param {TextSelection} field
 * @returns {TextEdit | null | undefined} Null if nothing can be indented, undefined outside of lists and code.
 */
export function indentLines(field) {
  const { selectionStart: start, selectionEnd: end, value } = field;
  const code = codeBefore(value, start);
  if (code) {
    const unit = code.join("\n").match(/^(?:\t| {2,8}(?=\S))/m)?.[0] ?? CODE_INDENT;
    return start === end
      ? { start, end, text: unit }
      : changeLines(field, (lines) => lines.map((it) => it && unit + it));
  }
  const line = lineAt(value, start);
  const item = read(line.text);
  if (!item.mark) return undefined;
  const above = itemAbove(value, line.start, item.quote, item.column + 1);
  if (!above) return null;
  const sibling = itemAbove(value, line.start, item.quote, above.content + 1);
  const count = (sibling && sibling.column >= above.content && sibling.number) || 0;
  return moveItems(field, above.content - item.column, count);
}

/**
 * Take one level of indentation from the items of a list, or from lines of code.
 * @param {TextSelection} field
 * @returns {TextEdit | null | undefined} Null if nothing is indented, undefined outside of lists and code.
 */
export function outdentLines(field) {
  const { selectionStart: start, value } = field;
  if (codeBefore(value, start)) {
    return changeLines(field, (lines) => lines.map((it) => it.replace(/^(?:\t| {1,4})/, "")));
  }
  const line = lineAt(value, start);
  const { quote, column, mark } = read(line.text);
  if (!mark) return undefined;
  const parent = itemAbove(value, line.start, quote, column);
  return moveItems(field, (parent?.column ?? 0) - column, parent?.number ?? 0);
}

/**
 * Move the selected lines sideways. The first item and its siblings are counted on from a number.
 * @param {TextSelection} field
 * @param {number} columns Less than 0: to the left.
 * @param {number} count
 */
function moveItems(field, columns, count) {
  return changeLines(field, (lines) => {
    const first = read(lines[0]).column;
    return lines.map((text) => {
      const { quote, indent, column, mark, number } = read(text);
      if (!text.trim()) return text;
      const isCounted = number !== null && column === first;
      if (isCounted) count++;
      const moved = quote + " ".repeat(Math.max(0, column + columns));
      return (
        moved + (isCounted ? mark.replace(/\d+/, String(count)) : mark) + text.slice((quote + indent + mark).length)
      );
    });
  });
}
