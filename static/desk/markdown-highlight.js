// @ts-check
// Markdown highlighting. An element behind the text area mirrors its text: one block with one text node per line,
// colored by the CSS Custom Highlight API. A line contains no elements, so that it wraps as in the text area. A key
// press updates only the line that it changes. The text area grows with the mirror.

// In characters. Longer texts, and texts with a longer line, are not highlighted: the mirror would slow down each key.
const MAX_LENGTH = 400_000;
const MAX_LINE_LENGTH = 20_000;

/**
 * Highlight the Markdown in a text area. Return `paint` to paint again, and `top` to measure where a line begins.
 * @param {HTMLElement} box
 * @param {HTMLTextAreaElement} area
 */
export function highlight(box, area) {
  const mirror = document.createElement("div");
  mirror.className = "mirror";
  mirror.setAttribute("aria-hidden", "true");
  box.append(mirror);
  const forced = matchMedia("(forced-colors: active)");
  const isSupported = "highlights" in CSS;
  /** @type {Record<string, Highlight>} */
  const highlights = {};
  for (const name of isSupported ? ["mark", "head", "code", "tk", "dim"] : []) {
    highlights[name] = new Highlight();
    CSS.highlights.set(`md-${name}`, highlights[name]);
  }
  /** @type {string[]} */
  let texts = [];
  /** @type {HighlightedLine[]} */
  let lines = [];
  let isOn = false;
  /** @type {WeakMap<Element, HighlightedLine>} */
  const lineOf = new WeakMap();
  // Only lines in or near the visible area have highlights: the cost of a key press grows with their number.
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        const line = lineOf.get(target);
        if (!line || line.isNear === isIntersecting) continue;
        line.isNear = isIntersecting;
        if (isIntersecting) show(line);
        else hide(line);
      }
    },
    { root: box.closest(".draft-area"), rootMargin: "50%" },
  );

  function paint() {
    const wasOn = isOn;
    const before = texts;
    texts = area.value.split("\n");
    isOn =
      isSupported &&
      !forced.matches &&
      area.value.length < MAX_LENGTH &&
      texts.every((line) => line.length < MAX_LINE_LENGTH);
    box.classList.toggle("on", isOn);
    // A mirror that is not seen is laid out only to measure, or to let the text area grow.
    mirror.hidden = !isOn && CSS.supports("field-sizing", "content");
    const dir = area.matches(":dir(rtl)") ? "rtl" : "ltr";
    if (mirror.dir !== dir) mirror.dir = dir; // setting it computes the styles of all lines again
    const [head, tail] = commonEnds(before, texts);
    replaceLines(head, tail);
    if (isOn && !wasOn) for (const line of lines) line.before = undefined;
    if (tail) lines[lines.length - tail].before = undefined; // it may have been the first line
    if (isOn) scan(wasOn ? head : 0);
  }

  /** @param {number} head @param {number} tail */
  function replaceLines(head, tail) {
    const old = lines.slice(head, lines.length - tail);
    const fresh = texts.slice(head, texts.length - tail).map((text, index) => {
      const line = old[index] ?? makeLine();
      hide(line);
      setText(line.node, `${text}\n`);
      line.before = undefined;
      return line;
    });
    for (const line of old.slice(fresh.length)) {
      hide(line);
      observer.unobserve(line.block);
      line.block.remove();
    }
    const after = lines.slice(lines.length - tail);
    const added = document.createDocumentFragment();
    added.append(...fresh.slice(old.length).map((line) => line.block));
    mirror.insertBefore(added, after[0]?.block ?? null);
    lines = [...lines.slice(0, head), ...fresh, ...after];
  }

  /** @returns {HighlightedLine} */
  function makeLine() {
    const block = document.createElement("div");
    const node = document.createTextNode("");
    block.append(node);
    const line = { block, node, after: null, spans: [], ranges: [], isNear: true };
    lineOf.set(block, line);
    observer.observe(block);
    return line;
  }

  /** @param {HighlightedLine} line */
  function show({ node, spans, ranges }) {
    for (const [name, startOffset, endOffset] of spans) {
      const range = new StaticRange({ startContainer: node, startOffset, endContainer: node, endOffset });
      highlights[name].add(range);
      ranges.push([name, range]);
    }
  }

  /** @param {HighlightedLine} line */
  function hide({ ranges }) {
    for (const [name, range] of ranges.splice(0)) highlights[name].delete(range);
  }

  /**
   * Scan from a line on, and stop where the state is as before: only a code fence changes the lines that follow.
   * @param {number} from
   */
  function scan(from) {
    let state = from ? lines[from - 1].after : null;
    for (let index = from; index < lines.length; index++) {
      const line = lines[index];
      if (line.before === state) break;
      hide(line);
      line.before = state;
      line.spans = [];
      line.after = scanLine(texts[index], state, (...span) => line.spans.push(span));
      if (line.isNear) show(line);
      state = line.after;
    }
  }

  forced.addEventListener("change", paint);
  area.addEventListener("input", paint);
  paint();
  return {
    paint,
    top(/** @type {number} */ line) {
      mirror.hidden = false;
      return lines[Math.min(line, lines.length - 1)]?.block.offsetTop ?? 0;
    },
  };
}

/**
 * Return how many items two lists, or characters two strings, have in common at the start and after that at the end.
 * @param {string | string[]} one
 * @param {string | string[]} other
 */
export function commonEnds(one, other) {
  const most = Math.min(one.length, other.length);
  let head = 0;
  while (head < most && one[head] === other[head]) head++;
  let tail = 0;
  while (tail < most - head && one[one.length - 1 - tail] === other[other.length - 1 - tail]) tail++;
  return [head, tail];
}

/**
 * Replace only the characters that differ, so that the browser need not shape the rest of a long paragraph again.
 * @param {Text} node
 * @param {string} text
 */
function setText(node, text) {
  const [head, tail] = commonEnds(node.data, text);
  node.replaceData(head, node.length - head - tail, text.slice(head, text.length - tail));
}

const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
const RULE = /^ {0,3}(?:([-*_])(?: *\1){2,}|=+|\|?[ :]*-+[-:| ]*) *$/;
export const PREFIX = /^(?:\s*>)*\s*(?:(?:[-*+]|\d{1,9}[.)])(?:\s+\[[ xX]\])?(?=\s|$))?/;
export const HEADING = / {0,3}#{1,6}(?=\s|$)/y;
const DEFINITION = /^ {0,3}\[(\^?)[^\]]+\]:/;
const INLINE = /\\[!-/:-@[-`{-~]|(`+)(?:(?!`)|$)|<!--.*?-->|<\/?[a-zA-Z][^<>]*>|!?\[|\||\b(?:TK)+\b|\*+|_+|~~/g;
const CLOSING = /\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+"[^"]*")?\)|\]\[[^\]]*\]|\]/y;
const FOOTNOTE = /\^[^\]\s]+\]/y;

/**
 * Run a sticky or global pattern from an index.
 * @param {RegExp} pattern
 * @param {string} text
 * @param {number} index
 */
function execAt(pattern, text, index) {
  pattern.lastIndex = index;
  return pattern.exec(text);
}

/**
 * Add the spans of one line. Return the state after the line.
 * @param {string} text
 * @param {LineState} state
 * @param {AddSpan} add
 * @returns {LineState}
 */
export function scanLine(text, state, add) {
  const addAll = (/** @type {HighlightName} */ name) => text && add(name, 0, text.length);
  const fence = FENCE.exec(text)?.[1];
  if (state !== null) {
    const isEnd = fence && fence[0] === state[0] && fence.length >= state.length && text.trim() === fence;
    addAll(isEnd ? "mark" : "code");
    return isEnd ? null : state;
  }
  if (fence || RULE.test(text)) {
    addAll("mark");
    return fence ?? null;
  }
  const prefix = PREFIX.exec(text)?.[0] ?? "";
  let from = prefix.length;
  if (prefix.trim()) add("mark", 0, from);
  const heading = execAt(HEADING, text, from);
  if (heading) {
    add("mark", from, HEADING.lastIndex);
    from = HEADING.lastIndex;
    if (text.length > from + 1) add("head", from + 1, text.length);
  }
  const definition = DEFINITION.exec(text);
  if (definition) {
    from = definition[1] ? definition[0].length : text.length;
    add("mark", 0, from);
  }
  scanInline(text, from, add);
  return null;
}

/**
 * @param {string} text
 * @param {number} from
 * @param {AddSpan} add
 */
function scanInline(text, from, add) {
  const isRow = /^\s*\|/.test(text);
  /** @type {[token: string, start: number][]} */
  const open = []; // emphasis
  let next = from;
  for (;;) {
    const found = execAt(INLINE, text, next);
    if (!found) return;
    const [token] = found;
    const start = found.index;
    const end = start + token.length;
    next = end;
    if (token[0] === "\\") add("mark", start, start + 1);
    else if (token[0] === "T") add("tk", start, end);
    else if (token[0] === "<" || (token === "|" && isRow)) add("mark", start, end);
    else if (token[0] === "`") {
      const close = closingTicks(text, token, end);
      if (close < 0) continue;
      next = close + token.length;
      add("mark", start, end);
      add("code", end, close);
      add("mark", close, next);
    } else if (token.endsWith("[")) scanLink(text, start, end, add);
    else if (token !== "|") scanEmphasis(text, token, start, end, open, add);
  }
}

/**
 * Return where the next run of exactly these backticks begins, or -1.
 * @param {string} text
 * @param {string} ticks
 * @param {number} from
 */
function closingTicks(text, ticks, from) {
  for (const run of text.slice(from).matchAll(/`+/g)) if (run[0] === ticks) return from + run.index;
  return -1;
}

/**
 * Mark the brackets and the address of a link, an image or a footnote reference. Its text is scanned as any text.
 * @param {string} text
 * @param {number} start
 * @param {number} end
 * @param {AddSpan} add
 */
function scanLink(text, start, end, add) {
  if (text[end] === "^") {
    if (execAt(FOOTNOTE, text, end)) add("mark", start, FOOTNOTE.lastIndex);
    return;
  }
  let depth = 0;
  for (let at = end; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "[") depth++;
    else if (text[at] === "]" && depth-- === 0) {
      execAt(CLOSING, text, at);
      if (CLOSING.lastIndex === at + 1) return;
      add("mark", start, end);
      add(text[start] === "!" ? "dim" : "mark", at, CLOSING.lastIndex);
      return;
    }
  }
}

/**
 * Mark a pair of emphasis tokens when the second one is found.
 * @param {string} text
 * @param {string} token
 * @param {number} start
 * @param {number} end
 * @param {[token: string, start: number][]} open
 * @param {AddSpan} add
 */
function scanEmphasis(text, token, start, end, open, add) {
  const before = text[start - 1] ?? " ";
  const after = text[end] ?? " ";
  const isLetter = /[\p{L}\p{N}]/u;
  const isInWord = token[0] === "_" && isLetter.test(before) && isLetter.test(after);
  const last = open.findLastIndex((one) => one[0] === token);
  if (last >= 0 && !/\s/.test(before) && !isInWord) {
    add("mark", open[last][1], open[last][1] + token.length);
    add("mark", start, end);
    open.length = last;
  } else if (!/\s/.test(after) && !isInWord) open.push([token, start]);
}
