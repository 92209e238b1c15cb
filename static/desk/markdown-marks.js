// @ts-check
// Marks in a line of Markdown: bold, italic and code. These functions compute an edit from the text and the
// selection; markdown-keys.js applies it.
import { codeBefore, endOfPrefix, lineAt, readCode } from "./markdown-lines.js";

const TOKEN = /\\[!-/:-@[-`{-~]|`+|\*+|_+|<[a-zA-Z/][^<>]*>|\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+"[^"]*")?\)/g;
// A row of a table, or where the address of a link or the text of a footnote is defined.
const NO_TEXT = /^\s*\||^ {0,3}\[[^\]]+\]:/;
const SPACE = /^\s?$/;
const PUNCTUATION = /[\p{P}\p{S}]/u;

/**
 * A marked part of a line: the places of its two marks, from outside to inside.
 * @typedef {{ size: number, from: number, start: number, end: number, to: number }} Marked
 */

/**
 * Return the parts of a line that are bold, italic or code, as CommonMark pairs the marks (0.31.2, section 6.2).
 * @param {string} line
 * @param {string} mark "**", "*" or "`".
 * @returns {Marked[]}
 */
export function markedParts(line, mark) {
  /** @type {Marked[]} */
  const parts = [];
  /** @type {{ char: string, at: number, size: number, length: number, canClose: boolean }[]} */
  let open = [];
  let next = 0;
  for (;;) {
    TOKEN.lastIndex = next;
    const found = TOKEN.exec(line);
    if (!found) return parts;
    const [token] = found;
    const at = found.index;
    next = at + token.length;
    if (token[0] === "`") {
      const close = [...line.slice(next).matchAll(/`+/g)].find(([ticks]) => ticks === token);
      if (!close) continue;
      const end = next + close.index;
      if (mark === "`") parts.push({ size: token.length, from: at, start: next, end, to: end + token.length });
      next = end + token.length;
    }
    if (token[0] !== "*" && token[0] !== "_") continue;
    const { canOpen, canClose } = sidesOf(line, at, next);
    let size = token.length;
    let place = at;
    for (let index = open.length - 1; canClose && size && index >= 0; ) {
      const one = open[index];
      const isMultipleOfThree = (one.canClose || canOpen) && (one.length + token.length) % 3 === 0;
      if (one.char !== token[0] || (isMultipleOfThree && (one.length % 3 || token.length % 3))) {
        index--;
        continue;
      }
      const used = Math.min(one.size, size, 2);
      one.size -= used;
      const from = one.at + one.size;
      if (used === mark.length && mark !== "`") {
        parts.push({ size: used, from, start: from + used, end: place, to: place + used });
      }
      size -= used;
      place += used;
      open = open.slice(0, one.size ? index + 1 : index);
      if (!one.size) index--;
    }
    if (canOpen && size) open.push({ char: token[0], at: place, size, length: token.length, canClose });
  }
}

/**
 * Return whether a run of * or _ can begin and can end an emphasis.
 * @param {string} line
 * @param {number} from
 * @param {number} to
 */
function sidesOf(line, from, to) {
  const before = line.slice(0, from).match(/.$/u)?.[0] ?? "";
  const after = line.slice(to).match(/^./u)?.[0] ?? "";
  const isLeft = !SPACE.test(after) && (!PUNCTUATION.test(after) || SPACE.test(before) || PUNCTUATION.test(before));
  const isRight = !SPACE.test(before) && (!PUNCTUATION.test(before) || SPACE.test(after) || PUNCTUATION.test(after));
  if (line[from] === "*") return { canOpen: isLeft, canClose: isRight };
  return {
    canOpen: isLeft && (!isRight || PUNCTUATION.test(before)),
    canClose: isRight && (!isLeft || PUNCTUATION.test(after)),
  };
}

/**
 * Give the selection a mark, or take it away if it has it. Without a selection: leave the mark at its end, take it away
 * inside of it, mark the word around the caret, or begin a mark.
 * @param {TextSelection} field
 * @param {string} mark
 * @returns {TextEdit | null}
 */
export function toggleMark(field, mark) {
  const { selectionStart, selectionEnd, value } = field;
  if (codeBefore(value, selectionStart)) return null;
  const line = lineAt(value, selectionStart);
  if (selectionEnd > line.end) return toggleLines(field, mark);
  const from = selectionStart - line.start;
  const edit =
    selectionStart === selectionEnd
      ? markAtCaret(line.text, from, mark)
      : markSelection(line.text, from, selectionEnd - line.start, mark);
  const [first, last] = edit.select ?? [edit.start + edit.text.length, edit.start + edit.text.length];
  return {
    start: line.start + edit.start,
    end: line.start + edit.end,
    text: edit.text,
    select: [line.start + first, line.start + last],
  };
}

/**
 * @param {string} line
 * @param {number} caret
 * @param {string} mark
 * @returns {TextEdit}
 */
function markAtCaret(line, caret, mark) {
  const size = mark.length;
  const char = mark[0];
  let before = 0;
  let after = 0;
  while (line[caret - before - 1] === char) before++;
  while (line[caret + after] === char) after++;
  const isEmptyPair = before && before === after && (size === 2 ? before >= 2 : before % 2 === 1);
  if (isEmptyPair) return { start: caret - size, end: caret + size, text: "" };
  // Spaces before the closing mark are moved behind it, where CommonMark wants them.
  const inner = line.slice(0, caret).trimEnd();
  const spaces = line.slice(inner.length, caret);
  const closed = markedParts(inner + line.slice(caret), mark);
  const run = inner.length + countOf(line.slice(caret), /^(?:\*+|_+|`+)/);
  const all = markedParts(line, mark);
  const left = closed.find((one) => one.end >= inner.length && one.to <= run && one.start < inner.length);
  if (left && !all.some((one) => one.from === caret)) {
    const closing = line.slice(caret, caret + left.size);
    const text = spaces ? closing + spaces : "";
    const end = caret + left.size;
    return { start: spaces ? inner.length : end, end, text };
  }
  const beside = all.find((one) => one.from === caret || one.to === caret);
  if (beside) {
    const at = beside.from === caret ? beside.start : beside.end;
    return { start: at, end: at, text: "" };
  }
  const inside = all.find((one) => one.from < caret && caret < one.to);
  if (inside) return withoutMark(line, inside, caret);
  const word = wordAround(line, caret);
  if (!word) return { start: caret, end: caret, text: mark + mark, select: [caret + size, caret + size] };
  const text = mark + line.slice(...word) + mark;
  return { start: word[0], end: word[1], text, select: [caret + size, caret + size] };
}

/**
 * Return the range of the word that has the caret inside, or null at its edges and between words.
 * @param {string} line
 * @param {number} caret
 * @returns {[number, number] | null}
 */
export function wordAround(line, caret) {
  if (caret === 0 || caret === line.length) return null;
  const word = new Intl.Segmenter(undefined, { granularity: "word" }).segment(line).containing(caret);
  if (!word?.isWordLike || word.index === caret) return null;
  return [word.index, word.index + word.segment.length];
}

/**
 * @param {string} line
 * @param {Marked} part
 * @param {number} from
 * @param {number} [to]
 * @returns {TextEdit}
 */
function withoutMark(line, part, from, to = from) {
  const most = part.end - part.size;
  const moved = (/** @type {number} */ at) => Math.min(Math.max(at - part.size, part.from), most);
  return { start: part.from, end: part.to, text: line.slice(part.start, part.end), select: [moved(from), moved(to)] };
}

/**
 * @param {string} line
 * @param {number} from
 * @param {number} to
 * @param {string} mark
 * @returns {TextEdit}
 */
function markSelection(line, from, to, mark) {
  const trimmed = line.slice(from, to).trim();
  if (!trimmed) return { start: from, end: to, text: line.slice(from, to), select: [from, to] };
  const start = from + line.slice(from, to).indexOf(trimmed);
  const end = start + trimmed.length;
  const touched = markedParts(line, mark).filter((one) => one.from < end && start < one.to);
  const outer = countOf(trimmed, /^[*_`]+(?=[^*_`])/);
  const core = trimmed.slice(outer).replace(/[*_`]+$/, "").length;
  const around = touched.find((one) => one.from <= start + outer && start + outer + core <= one.to);
  if (around) return unmarkInside(line, around, start, end, mark);
  const first = Math.min(start, ...touched.map((one) => one.from));
  const last = Math.max(end, ...touched.map((one) => one.to));
  let inner = line.slice(first, last);
  // Each mark is cut by itself, from the end on: marked parts may be inside of others.
  const cuts = touched.flatMap((one) => [
    [one.from, one.start],
    [one.end, one.to],
  ]);
  for (const [cutFrom, cutTo] of cuts.sort((a, b) => b[0] - a[0])) {
    inner = inner.slice(0, cutFrom - first) + inner.slice(cutTo - first);
  }
  if (mark === "`") return { start: first, end: last, ...codeSpan(inner, first) };
  const select = first + mark.length;
  return { start: first, end: last, text: mark + inner + mark, select: [select, select + inner.length] };
}

/**
 * Return a text as code. Backticks in it make the mark longer.
 * @param {string} inner
 * @param {number} at
 * @returns {{ text: string, select: [number, number] }}
 */
function codeSpan(inner, at) {
  let ticks = "`";
  while (inner.split(/[^`]+/).includes(ticks)) ticks += "`";
  const space = /^`|`$/.test(inner) ? " " : "";
  const select = at + ticks.length + space.length;
  return { text: ticks + space + inner + space + ticks, select: [select, select + inner.length] };
}

/**
 * Take the mark from a selection in a marked part, and keep it on both sides of the selection.
 * @param {string} line
 * @param {Marked} part
 * @param {number} from
 * @param {number} to
 * @param {string} mark
 * @returns {TextEdit}
 */
function unmarkInside(line, part, from, to, mark) {
  const start = Math.max(from, part.start);
  const end = Math.min(to, part.end);
  const before = line.slice(part.start, start);
  const after = line.slice(end, part.end);
  if (/^[*_`]*$/.test(before + after)) return withoutMark(line, part, start, end);
  const left = before.trim() ? mark + before.trimEnd() + mark + before.slice(before.trimEnd().length) : before;
  const space = after.slice(0, after.length - after.trimStart().length);
  const right = after.trim() ? space + mark + after.trimStart() + mark : after;
  const text = left + line.slice(start, end) + right;
  const at = part.from + left.length;
  return { start: part.from, end: part.to, text, select: [at, at + end - start] };
}

/**
 * Mark each line of a selection by itself, behind its list mark: marks end with their paragraph.
 * @param {TextSelection} field
 * @param {string} mark
 * @returns {TextEdit | null}
 */
function toggleLines({ selectionStart, selectionEnd, value }, mark) {
  const lines = value.slice(selectionStart, selectionEnd).split("\n");
  const first = lineAt(value, selectionStart);
  const column = selectionStart - first.start;
  const { kinds } = readCode([first.text, ...lines.slice(1)]);
  const ranges = lines.map((line, index) => {
    const from = index ? endOfPrefix(line) : Math.max(0, endOfPrefix(first.text) - column);
    const isText = !kinds[index] && !NO_TEXT.test(line);
    return { line, from, hasWords: isText && /[\p{L}\p{N}]/u.test(line.slice(from)) };
  });
  const worded = ranges.filter(({ hasWords }) => hasWords);
  const isMarked = (/** @type {string} */ words) =>
    markedParts(words, mark).some(({ from, to }) => !words.slice(0, from).trim() && !words.slice(to).trim());
  const areMarked = worded.every(({ line, from }) => isMarked(line.slice(from)));
  const text = ranges
    .map(({ line, from, hasWords }) => {
      if (!hasWords) return line;
      const words = line.slice(from);
      if (isMarked(words) !== areMarked) return line;
      const edit = markSelection(words, 0, words.length, mark);
      return line.slice(0, from) + words.slice(0, edit.start) + edit.text + words.slice(edit.end);
    })
    .join("\n");
  return { start: selectionStart, end: selectionEnd, text, select: [selectionStart, selectionStart + text.length] };
}

/**
 * Format the selection as code: as a code block if it has several lines.
 * @param {TextSelection} field
 * @returns {TextEdit | null}
 */
export function code(field) {
  const { selectionStart: start, selectionEnd: end, value } = field;
  const selected = value.slice(start, end);
  if (!selected.includes("\n")) return toggleMark(field, "`");
  return { start, end, text: `\`\`\`\n${selected.replace(/\n$/, "")}\n\`\`\`` };
}

/**
 * Return how many characters a pattern matches at the start of a text.
 * @param {string} text
 * @param {RegExp} pattern
 */
const countOf = (text, pattern) => pattern.exec(text)?.[0].length ?? 0;
