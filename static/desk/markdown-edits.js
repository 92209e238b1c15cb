// @ts-check
// The edits that the keys and buttons of the editor make. These functions compute an edit from the text and the
// selection; markdown-keys.js applies it.
import { changeLines, lineAt } from "./markdown-lines.js";
import { indentLines, outdentLines } from "./markdown-lists.js";
import { code, toggleMark, wordAround } from "./markdown-marks.js";

const ANY_PREFIX = /^(\s*)(?:(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)?/;
const LINK = /\[((?:\\.|[^[\]\\])*)\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+"[^"]*")?\)/g;
const IN_PARENTHESES = "\\([^\\s<>()[\\]]*\\)";
const BARE_URL = new RegExp(
  `(?:https?://|mailto:)(?:[^\\s<>()[\\]]|${IN_PARENTHESES})*(?:[^\\s<>()[\\].,;:!?"'*_~]|${IN_PARENTHESES})`,
  "g",
);
const URL_TEXT = /^(?:https?:\/\/|mailto:)\S+$/;

/**
 * Return whether a text is only a URL.
 * @param {string} text
 */
export const isUrl = (text) => URL_TEXT.test(text);

/**
 * Make the selection, or the word around the caret, a link. The caret goes to the part that is still empty: the text or
 * the URL. In a link, select its URL.
 * @param {TextSelection} field
 * @param {string} [url]
 * @returns {TextEdit}
 */
export function link({ selectionStart, selectionEnd, value }, url = "") {
  const line = lineAt(value, selectionStart);
  const isCaret = selectionStart === selectionEnd;
  const caret = selectionStart - line.start;
  for (const { 0: found, 1: text, 2: address, index } of isCaret && !url ? line.text.matchAll(LINK) : []) {
    if (caret <= index || caret >= index + found.length) continue;
    const at = line.start + index + text.length + 3;
    return { start: at, end: at, text: "", select: [at, at + address.length] };
  }
  const word = isCaret && !url ? (urlAround(line.text, caret) ?? wordAround(line.text, caret)) : null;
  const start = word ? line.start + word[0] : selectionStart;
  const end = word ? line.start + word[1] : selectionEnd;
  const selected = value.slice(start, end).replace(/^<(\S*)>$/, "$1");
  if (isUrl(selected)) return { start, end, text: `[](${selected})`, select: [start + 1, start + 1] };
  const afterText = start + selected.length + 3;
  const next = selected ? afterText + url.length + (url ? 1 : 0) : start + 1;
  return { start, end, text: `[${selected}](${url})`, select: [next, next] };
}

/**
 * Return the range of the URL that has the caret inside, or null.
 * @param {string} line
 * @param {number} caret
 * @returns {[number, number] | null}
 */
function urlAround(line, caret) {
  for (const { 0: found, index } of line.matchAll(BARE_URL)) {
    const end = index + found.length;
    const edge = line[index - 1] === "<" && line[end] === ">" ? 1 : 0;
    if (index < caret && caret < end) return [index - edge, end + edge];
  }
  return null;
}

/**
 * Give every selected line a prefix, or remove it if all lines have it. Blank lines stay as they are.
 * @param {TextSelection} field
 * @param {RegExp} pattern Matches the prefix; its group is the indentation, which stays.
 * @param {(count: number) => string} make Makes the prefix of the line with this number, from 1.
 * @param {RegExp} replaced Matches the prefixes that this one replaces.
 */
function togglePrefix(field, pattern, make, replaced) {
  return changeLines(field, (lines) => {
    const filled = lines.filter((line) => line.trim());
    const isChanged = (/** @type {string} */ line) => !filled.length || line.trim() !== "";
    const hasPrefix = lines.filter(isChanged).every((line) => pattern.test(line));
    let count = 0;
    return lines.map((line) => {
      if (!isChanged(line)) return line;
      if (hasPrefix) return line.replace(pattern, "$1");
      count++;
      return line.replace(replaced, (_, indentation = "") => indentation + make(count));
    });
  });
}

/**
 * Edits by the name that a button has in data-act.
 * @type {Record<string, (field: TextSelection) => TextEdit | null>}
 */
export const EDITS = {
  bold: (field) => toggleMark(field, "**"),
  italic: (field) => toggleMark(field, "*"),
  code,
  link: (field) => link(field),
  heading: (field) =>
    changeLines(field, (lines) =>
      lines.map((line) => {
        const level = /^(#{1,6}) /.exec(line)?.[1].length ?? 0;
        return (level === 0 ? "## " : level === 2 ? "### " : "") + line.replace(/^#{1,6} /, "");
      }),
    ),
  quote: (field) => togglePrefix(field, /^()> ?/, () => "> ", /^()/),
  bullets: (field) => togglePrefix(field, /^(\s*)[-*+][ \t]+(?!\[[ xX]\][ \t])/, () => "- ", ANY_PREFIX),
  numbers: (field) => togglePrefix(field, /^(\s*)\d{1,9}[.)][ \t]+/, (count) => `${count}. `, ANY_PREFIX),
  tasks: (field) => togglePrefix(field, /^(\s*)[-*+][ \t]+\[[ xX]\][ \t]+/, () => "- [ ] ", ANY_PREFIX),
  indent: (field) => {
    const edit = indentLines(field);
    return edit === undefined ? changeLines(field, (lines) => lines.map((line) => line && `  ${line}`)) : edit;
  },
  outdent: (field) => {
    const edit = outdentLines(field);
    if (edit !== undefined) return edit;
    return changeLines(field, (lines) => lines.map((line) => line.replace(/^(?: {1,2}|\t)/, "")));
  },
  table: (field) => insertBlock(field, "| One | Two |\n| --- | --- |\n|  |  |", 2, 5),
  divider: (field) => insertBlock(field, "---", 4),
  block: ({ selectionStart, selectionEnd, value }) => {
    const selected = value.slice(selectionStart, selectionEnd).replace(/\n$/, "");
    return insertBlock({ selectionStart, selectionEnd, value }, `\`\`\`\n${selected}\n\`\`\``, 4, 4 + selected.length);
  },
  footnote,
};

/**
 * Insert lines as a block of their own, behind a blank line, in place of the selection.
 * @param {TextSelection} field
 * @param {string} lines
 * @param {number} from Where the selection begins afterwards, counted from the start of the lines.
 * @param {number} [to]
 * @returns {TextEdit}
 */
function insertBlock({ selectionStart: start, selectionEnd: end, value }, lines, from, to = from) {
  const before = /^$|\n\n$/.test(value.slice(0, start)) ? "" : value[start - 1] === "\n" ? "\n" : "\n\n";
  const at = start + before.length;
  return { start, end, text: `${before}${lines}\n`, select: [at + from, at + to] };
}

/**
 * Insert a footnote with the next free number behind the selection. Its text is at the end, where the caret goes.
 * @param {TextSelection} field
 * @returns {TextEdit}
 */
function footnote({ selectionEnd: start, value }) {
  const numbers = Array.from(value.matchAll(/\[\^(\d+)\]/g), ([, number]) => Number(number));
  const mark = `[^${Math.max(0, ...numbers) + 1}]`;
  const rest = value.slice(start).trimEnd();
  // Footnotes that follow each other need no blank line.
  const isAfterNote = /(?:^|\n)\[\^[^\]\n]+\]:[^\n]*$/.test(value.trimEnd());
  const text = `${mark}${rest}${isAfterNote ? "\n" : "\n\n"}${mark}: `;
  return { start, end: value.length, text };
}

/**
 * Return the first "TK" behind an index of the text, or else the first one of all.
 * @param {string} value
 * @param {number} index
 * @param {number[]} lines The lines that have one.
 */
export function nextMarker(value, index, lines) {
  const before = value.slice(0, index).split("\n");
  const column = before[before.length - 1].length;
  const here = before.length - 1;
  const all = value.split("\n");
  const markers = [...new Set(lines)].flatMap((line) =>
    [...(all[line] ?? "").matchAll(/\b(?:TK)+\b/g)].map(({ index: from, 0: found }) => ({
      line,
      from,
      to: from + found.length,
    })),
  );
  return markers.find(({ line, from }) => line > here || (line === here && from >= column)) ?? markers[0];
}
