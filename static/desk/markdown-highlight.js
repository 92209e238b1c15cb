// Blue-pencil colouring: behind the real textarea a mirror of its text, a block for each line with one text node in it,
// coloured by the CSS Custom Highlight API. There are no elements within a line, so its shaping and wrapping are the
// textarea's; and a key that is pressed costs the line that it changed. The textarea grows with the mirror.

const NAMES = ["mark", "head", "code", "tk"];
const MOST = 400_000; // characters; beyond them the text is left as it is

/** Colour `area`, which stands in `box`. Answers { paint, top }: paint anew, and how far down a line begins. */
export function marks(box, area) {
  const mirror = document.createElement("div");
  mirror.className = "mirror";
  mirror.setAttribute("aria-hidden", "true");
  box.append(mirror);
  const forced = matchMedia("(forced-colors: active)");
  const inks =
    window.Highlight && window.CSS?.highlights
      ? Object.fromEntries(NAMES.map((name) => [name, new Highlight()]))
      : null;
  for (const name in inks) CSS.highlights.set(`md-${name}`, inks[name]);
  let lines = [];
  let isOn = false;
  const owners = new WeakMap(); // the line of each block
  // Only what is in view, or soon may be, has its colours: what a key costs grows with the number of those.
  const watch = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        const line = owners.get(target);
        if (line.isNear === isIntersecting) continue;
        line.isNear = isIntersecting;
        if (isIntersecting) show(line);
        else hide(line);
      }
    },
    { root: box.closest(".galley"), rootMargin: "50%" },
  );

  function paint() {
    const was = isOn;
    isOn = inks !== null && !forced.matches && area.value.length < MOST;
    box.classList.toggle("on", isOn);
    mirror.dir = area.matches(":dir(rtl)") ? "rtl" : "ltr";
    const texts = area.value.split("\n");
    let head = 0;
    while (head < texts.length && head < lines.length && texts[head] === lines[head].text) head++;
    let tail = 0;
    const most = Math.min(texts.length, lines.length) - head;
    while (tail < most && texts.at(-1 - tail) === lines.at(-1 - tail).text) tail++;
    lines = replaced(texts, head, tail);
    if (isOn && !was) for (const line of lines) line.before = undefined;
    if (tail) lines.at(-tail).before = undefined; // it may be the first line no more
    if (isOn) colour(lines, was ? head : 0);
  }

  function replaced(texts, head, tail) {
    const old = lines.slice(head, lines.length - tail);
    const fresh = texts.slice(head, texts.length - tail).map((text, index) => {
      const line = old[index] ?? made();
      hide(line);
      line.text = text;
      renew(line.node, `${text}\n`);
      line.before = undefined;
      return line;
    });
    for (const line of old.slice(fresh.length)) {
      hide(line);
      watch.unobserve(line.block);
      line.block.remove();
    }
    const before = lines[lines.length - tail]?.block ?? null;
    const added = fresh.slice(old.length).map((line) => line.block);
    if (added.length) {
      const part = document.createDocumentFragment();
      part.append(...added);
      mirror.insertBefore(part, before);
    }
    return [...lines.slice(0, head), ...fresh, ...lines.slice(lines.length - tail)];
  }

  function made() {
    const block = document.createElement("div");
    const node = document.createTextNode("");
    block.append(node);
    const line = { block, node, text: "", before: undefined, after: null, spans: [], ranges: [], isNear: true };
    owners.set(block, line);
    watch.observe(block);
    return line;
  }

  function show({ node, spans, ranges }) {
    for (const [name, startOffset, endOffset] of spans) {
      const range = new StaticRange({ startContainer: node, startOffset, endContainer: node, endOffset });
      inks[name].add(range);
      ranges.push([name, range]);
    }
  }

  function hide({ ranges }) {
    for (const [name, range] of ranges.splice(0)) inks[name].delete(range);
  }

  // A fence that is opened or closed colours all that follows, up to where it was so before.
  function colour(all, from) {
    let state = from ? all[from - 1].after : null;
    for (let index = from; index < all.length; index++) {
      const line = all[index];
      if (line.before === state) break;
      hide(line);
      line.before = state;
      line.spans = [];
      line.after = read(line.text, state, index, (...span) => line.spans.push(span));
      if (line.isNear) show(line);
      state = line.after;
    }
  }

  forced.addEventListener("change", paint);
  area.addEventListener("input", paint);
  paint();
  return { paint, top: (line) => lines[Math.min(line, lines.length - 1)]?.block.offsetTop ?? 0 };
}

// Only what differs, so that the rest of a long paragraph need not be shaped again.
function renew(node, text) {
  const old = node.data;
  const least = Math.min(old.length, text.length);
  let head = 0;
  while (head < least && old[head] === text[head]) head++;
  let tail = 0;
  while (tail < least - head && old[old.length - 1 - tail] === text[text.length - 1 - tail]) tail++;
  node.replaceData(head, old.length - head - tail, text.slice(head, text.length - tail));
}

const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
const RULE = /^ {0,3}(?:([-*_])(?: *\1){2,}|=+|\|?[ :]*-+[-:| ]*) *$/;
const PREFIX = /^(?:\s*>)*\s*(?:(?:[-*+]|\d{1,9}[.)])(?:\s+\[[ xX]\])?(?=\s|$))?/;
const DEFINITION = /^ {0,3}\[(\^?)[^\]]+\]:/;
const INLINE = /\\[!-/:-@[-`{-~]|(`+)(?:(?!`)|$)|<!--.*?-->|<\/?[a-zA-Z][^<>]*>|!?\[|\||\b(?:TK)+\b|\*+|_+|~~/g;
const CLOSING = /\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+"[^"]*")?\)|\]\[[^\]]*\]|\]/y;

/** Read one line. `state` is null, the fence that is open, or "---" of front matter; answers that after the line. */
export function read(text, state, number, put) {
  if (number === 0 && text === "---") return put("mark", 0, 3), "---";
  if (state === "---") return put("mark", 0, text.length), /^(---|\.\.\.)\s*$/.test(text) ? null : state;
  const fence = FENCE.exec(text)?.[1];
  if (state !== null) {
    const ends = fence !== undefined && fence[0] === state[0] && fence.length >= state.length && text.trim() === fence;
    if (text) put(ends ? "mark" : "code", 0, text.length);
    return ends ? null : state;
  }
  if (fence) return put("mark", 0, text.length), fence;
  if (!text) return null;
  if (RULE.test(text)) return put("mark", 0, text.length), null;
  const prefix = PREFIX.exec(text)[0];
  let from = prefix.length;
  if (prefix.trim()) put("mark", 0, from);
  const heading = /^ {0,3}#{1,6}(?=\s|$)/.exec(text.slice(from));
  if (heading) {
    put("mark", from, (from += heading[0].length));
    if (text.length > from + 1) put("head", from + 1, text.length);
  }
  const definition = DEFINITION.exec(text);
  if (definition) put("mark", 0, (from = definition[1] ? definition[0].length : text.length));
  inline(text, from, text.length, put);
  return null;
}

function inline(text, from, to, put) {
  const isRow = /^\s*\|/.test(text);
  const open = []; // of emphasis: [mark, start]
  const pattern = new RegExp(INLINE);
  pattern.lastIndex = from;
  for (let found; (found = pattern.exec(text)) && found.index < to; ) {
    const [token] = found;
    const start = found.index;
    const end = start + token.length;
    if (token[0] === "\\") put("mark", start, start + 1);
    else if (token[0] === "T") put("tk", start, end);
    else if (token === "|") isRow && put("mark", start, end);
    else if (token[0] === "<") put("mark", start, end);
    else if (token[0] === "`") {
      const close = closing(text, token, end);
      if (close < 0) continue;
      put("mark", start, end);
      put("code", end, close);
      put("mark", close, (pattern.lastIndex = close + token.length));
    } else if (token.endsWith("[")) {
      link(text, start, end, put);
    } else emphasis(text, token, start, end, open, put);
  }
}

/** Where a run of just so many backticks begins; -1 where there is none. */
function closing(text, ticks, from) {
  const runs = /`+/g;
  runs.lastIndex = from;
  for (let run; (run = runs.exec(text)); ) if (run[0] === ticks) return run.index;
  return -1;
}

// What leads somewhere: its brackets and its address are marks, its text is text, and read on.
function link(text, start, end, put) {
  if (text[end] === "^") {
    const note = /\^[^\]\s]+\]/y;
    note.lastIndex = end;
    if (note.test(text)) put("mark", start, note.lastIndex);
    return;
  }
  let depth = 0;
  for (let at = end; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "[") depth++;
    else if (text[at] === "]" && depth-- === 0) {
      CLOSING.lastIndex = at;
      const close = CLOSING.exec(text)[0];
      if (close.length === 1) return;
      put("mark", start, end);
      put("mark", at, at + close.length);
      return;
    }
  }
}

function emphasis(text, token, start, end, open, put) {
  const before = text[start - 1] ?? " ";
  const after = text[end] ?? " ";
  const isWord = /[\p{L}\p{N}]/u;
  const inWord = token[0] === "_" && isWord.test(before) && isWord.test(after);
  const last = open.findLastIndex(([mark]) => mark === token);
  if (last >= 0 && !/\s/.test(before) && !inWord) {
    put("mark", open[last][1], open[last][1] + token.length);
    put("mark", start, end);
    open.length = last;
  } else if (!/\s/.test(after) && !inWord) open.push([token, start]);
}
