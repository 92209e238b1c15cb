// @ts-check
// The edits that the keys and buttons of the editor make. These functions compute an edit from the text and the
// selection; markdown-keys.js applies it.

const LIST_ITEM = /^(\s*)((?:> ?)+|(?:[-*+]|(\d{1,9})([.)]))[ \t]+(?:\[[ xX]\][ \t]+)?)(.*)$/;
const ANY_PREFIX = /^(\s*)(?:(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)?/;
const URL_TEXT = /^(?:https?:\/\/|mailto:)\S+$/;

/**
 * Return whether a text is only a URL.
 * @param {string} text
 */
export const isUrl = (text) => URL_TEXT.test(text);

/**
 * Add a mark, such as **, on both sides of the selection, or remove it.
 * @param {TextSelection} field
 * @param {string} mark
 * @returns {TextEdit}
 */
function toggleMark({ selectionStart: start, selectionEnd: end, value }, mark) {
  const size = mark.length;
  const selected = value.slice(start, end);
  if (value.slice(start - size, start) === mark && value.slice(end, end + size) === mark) {
    return { start: start - size, end: end + size, text: selected, select: [start - size, end - size] };
  }
  if (selected.length > 2 * size && selected.startsWith(mark) && selected.endsWith(mark)) {
    return { start, end, text: selected.slice(size, -size), select: [start, end - 2 * size] };
  }
  return { start, end, text: mark + selected + mark, select: [start + size, end + size] };
}

/**
 * Make the selection a link. The caret goes to the part that is still empty: the text or the URL.
 * @param {TextSelection} field
 * @param {string} [url]
 * @returns {TextEdit}
 */
export function link({ selectionStart: start, selectionEnd: end, value }, url = "") {
  const selected = value.slice(start, end);
  if (isUrl(selected)) return { start, end, text: `[](${selected})`, select: [start + 1, start + 1] };
  const afterText = start + selected.length + 3;
  const caret = selected ? afterText + url.length + (url ? 1 : 0) : start + 1;
  return { start, end, text: `[${selected}](${url})`, select: [caret, caret] };
}

/**
 * Format the selection as code: as a code block if it has several lines.
 * @param {TextSelection} field
 * @returns {TextEdit}
 */
function code(field) {
  const { selectionStart: start, selectionEnd: end, value } = field;
  const selected = value.slice(start, end);
  if (!selected.includes("\n")) return toggleMark(field, "`");
  return { start, end, text: `\`\`\`\n${selected.replace(/\n$/, "")}\n\`\`\`` };
}

/**
 * Return where the line at an index begins.
 * @param {string} value
 * @param {number} index
 */
const lineStart = (value, index) => value.slice(0, index).lastIndexOf("\n") + 1;

/**
 * Change every line that the selection touches. Return null if nothing changes.
 * @param {TextSelection} field
 * @param {(lines: string[]) => string[]} change
 * @returns {TextEdit | null}
 */
function changeLines({ selectionStart, selectionEnd, value }, change) {
  const start = lineStart(value, selectionStart);
  const isAfterBreak = selectionEnd > selectionStart && value[selectionEnd - 1] === "\n";
  const found = value.indexOf("\n", isAfterBreak ? selectionEnd - 1 : selectionEnd);
  const end = found < 0 ? value.length : found;
  const old = value.slice(start, end);
  const text = change(old.split("\n")).join("\n");
  if (text === old) return null;
  if (selectionStart !== selectionEnd) return { start, end, text, select: [start, start + text.length] };
  const caret = Math.max(start, selectionStart + text.length - old.length);
  return { start, end, text, select: [caret, caret] };
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
  indent: (field) =>
    changeLines(field, (lines) => lines.map((line) => line && (/^\s*\d/.test(line) ? "   " : "  ") + line)),
  outdent: (field) =>
    changeLines(field, (lines) =>
      lines.map((line) => line.replace(/^\s*\d/.test(line) ? /^ {1,3}/ : /^(?: {1,2}|\t)/, "")),
    ),
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
 * Return whether the caret is in a fenced code block.
 * @param {Pick<TextSelection, "selectionStart" | "value">} field
 */
export function isInCode({ selectionStart: caret, value }) {
  const fences = value.slice(0, lineStart(value, caret)).match(/^(?:```|~~~)/gm) ?? [];
  return fences.length % 2 === 1;
}

/**
 * Continue a list or a quotation on a new line; end it if its last item is empty. Return null outside of lists.
 * @param {TextSelection} field
 * @returns {TextEdit | null}
 */
export function continueList({ selectionStart: caret, selectionEnd, value }) {
  if (caret !== selectionEnd) return null;
  const start = lineStart(value, caret);
  const item = LIST_ITEM.exec(value.slice(start, caret));
  if (!item || isInCode({ selectionStart: caret, value })) return null;
  const [, indentation, mark, number, , text] = item;
  const [rest] = value.slice(caret).split("\n", 1);
  if (!text.trim() && !rest.trim()) return { start, end: caret, text: "" };
  const next = number ? mark.replace(number, String(Number(number) + 1)) : mark;
  return { start: caret, end: caret, text: `\n${indentation}${next.replace(/\[[xX]\]/, "[ ]")}` };
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
