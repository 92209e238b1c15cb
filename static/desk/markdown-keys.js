// Writing Markdown: keys and buttons that put marks, lists that go on, links that are pasted. All of it goes through the
// browser's own editing, so that undo takes it back step by step. Tab is left alone: it leaves the field.
import { headers } from "./app.js";

const ITEM = /^(\s*)((?:> ?)+|(?:[-*+]|(\d{1,9})([.)]))[ \t]+(?:\[[ xX]\][ \t]+)?)(.*)$/;
const ADDRESS = /^(?:https?:\/\/|mailto:)\S+$/;

/** Put `text` in place of what stands from `start` to `end`, and select from `from` to `to`. */
export function put(area, start, end, text, from = start + text.length, to = from) {
  area.focus();
  area.setSelectionRange(start, end);
  if (start !== end || text) {
    const isDone = text ? document.execCommand("insertText", false, text) : document.execCommand("delete");
    if (!isDone) {
      area.setRangeText(text, start, end, "end");
      area.dispatchEvent(new InputEvent("input", { bubbles: true }));
    }
  }
  area.setSelectionRange(from, to);
}

/** Put a mark on both sides of the selection, or take it away there. */
function around(area, mark) {
  const { selectionStart: start, selectionEnd: end, value } = area;
  const size = mark.length;
  const chosen = value.slice(start, end);
  if (value.slice(start - size, start) === mark && value.slice(end, end + size) === mark) {
    put(area, start - size, end + size, chosen, start - size, end - size);
  } else if (chosen.length > 2 * size && chosen.startsWith(mark) && chosen.endsWith(mark)) {
    put(area, start, end, chosen.slice(size, -size), start, end - 2 * size);
  } else put(area, start, end, mark + chosen + mark, start + size, end + size);
}

function link(area, address = "") {
  const { selectionStart: start, selectionEnd: end, value } = area;
  const chosen = value.slice(start, end);
  if (ADDRESS.test(chosen)) return put(area, start, end, `[](${chosen})`, start + 1);
  const at = start + chosen.length + 3;
  put(area, start, end, `[${chosen}](${address})`, chosen ? at + address.length + (address ? 1 : 0) : start + 1);
}

/** Change each line that the selection touches. */
function lines(area, change) {
  const { selectionStart, selectionEnd, value } = area;
  const start = value.lastIndexOf("\n", selectionStart - 1) + 1;
  const last = selectionEnd > selectionStart && value[selectionEnd - 1] === "\n" ? selectionEnd - 1 : selectionEnd;
  const found = value.indexOf("\n", last);
  const end = found < 0 ? value.length : found;
  const old = value.slice(start, end);
  const text = change(old.split("\n")).join("\n");
  if (text === old) return;
  if (selectionStart !== selectionEnd) return put(area, start, end, text, start, start + text.length);
  put(area, start, end, text, Math.max(start, selectionStart + text.length - old.length));
}

// Every line a prefix of this kind, or, where all have it, none.
const prefix =
  (pattern, make, other = pattern) =>
  (all) => {
    const some = all.some((line) => line.trim()) ? all.filter((line) => line.trim()) : all;
    const has = some.every((line) => pattern.test(line));
    let count = 0;
    return all.map((line) => {
      if (!some.includes(line)) return line;
      return has ? line.replace(pattern, "$1") : line.replace(other, (_, space = "") => space + make(++count));
    });
  };
const anyItem = /^(\s*)(?:(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)?/;

/** What buttons and keys do, by name. */
export const ACTS = {
  bold: (area) => around(area, "**"),
  italic: (area) => around(area, "*"),
  code: (area) => {
    const chosen = area.value.slice(area.selectionStart, area.selectionEnd);
    return chosen.includes("\n")
      ? put(area, area.selectionStart, area.selectionEnd, `\`\`\`\n${chosen.replace(/\n$/, "")}\n\`\`\``)
      : around(area, "`");
  },
  link: (area) => link(area),
  heading: (area) =>
    lines(area, (all) =>
      all.map((line) => {
        const level = /^(#{1,6}) /.exec(line)?.[1].length ?? 0;
        return (level === 0 ? "## " : level === 2 ? "### " : "") + line.replace(/^#{1,6} /, "");
      }),
    ),
  quote: (area) =>
    lines(
      area,
      prefix(/^()> ?/, () => "> ", /^()/),
    ),
  bullets: (area) =>
    lines(
      area,
      prefix(/^(\s*)[-*+][ \t]+(?!\[[ xX]\][ \t])/, () => "- ", anyItem),
    ),
  numbers: (area) =>
    lines(
      area,
      prefix(/^(\s*)\d{1,9}[.)][ \t]+/, (count) => `${count}. `, anyItem),
    ),
  tasks: (area) =>
    lines(
      area,
      prefix(/^(\s*)[-*+][ \t]+\[[ xX]\][ \t]+/, () => "- [ ] ", anyItem),
    ),
  indent: (area) =>
    lines(area, (all) => all.map((line) => (line ? (/^\s*\d/.test(line) ? "   " : "  ") + line : line))),
  outdent: (area) =>
    lines(area, (all) => all.map((line) => line.replace(/^\s*\d/.test(line) ? /^ {1,3}/ : /^(?: {1,2}|\t)/, ""))),
  table: (area) => {
    const { selectionStart: at, value } = area;
    const before = at === 0 || value.slice(0, at).endsWith("\n\n") ? "" : value[at - 1] === "\n" ? "\n" : "\n\n";
    put(
      area,
      at,
      area.selectionEnd,
      `${before}| One | Two |\n| --- | --- |\n|  |  |\n`,
      at + before.length + 2,
      at + before.length + 5,
    );
  },
};

/** The act of a key, if it has one. Digits by their place on the keyboard: with Shift they are other letters. */
function actOf(event) {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return undefined;
  if (event.shiftKey) return { Digit7: "numbers", Digit8: "bullets", KeyL: "tasks" }[event.code];
  return { b: "bold", i: "italic", k: "link", e: "code", "]": "indent", "[": "outdent" }[event.key.toLowerCase()];
}

// Enter in a list makes the next item; in an empty one it ends the list.
function goOn(area) {
  const { selectionStart: at, selectionEnd, value } = area;
  const start = value.lastIndexOf("\n", at - 1) + 1;
  const item = at === selectionEnd ? ITEM.exec(value.slice(start, at)) : null;
  if (item === null || (value.slice(0, start).match(/^(?:```|~~~)/gm)?.length ?? 0) % 2) return false;
  const [, space, mark, number, , words] = item;
  const rest = value.slice(at, value.indexOf("\n", at) < 0 ? undefined : value.indexOf("\n", at));
  if (!words.trim() && !rest.trim()) put(area, start, at, "");
  else
    put(
      area,
      at,
      at,
      `\n${space}${number ? mark.replace(number, Number(number) + 1) : mark}`.replace(/\[[xX]\]/, "[ ]"),
    );
  return true;
}

/** Let `area` be written in as Markdown. */
export function typing(area) {
  area.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const act = actOf(event);
    const isEnter = event.key === "Enter" && !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (act) ACTS[act](area);
    else if (!isEnter || !goOn(area)) return;
    event.preventDefault();
  });
  area.addEventListener("paste", (event) => {
    const data = event.clipboardData;
    if (data.files.length) return;
    const text = data.getData("text/plain").trim();
    const html = data.getData("text/html");
    if (area.selectionStart !== area.selectionEnd && ADDRESS.test(text)) {
      event.preventDefault();
      link(area, text);
    } else if (
      /<(?:a|b|strong|i|em|h[1-6]|ul|ol|table|blockquote)\b/i.test(html) &&
      !data.types.includes("vscode-editor-data")
    ) {
      event.preventDefault();
      paste(area, html, data.getData("text/plain"));
    }
  });
}

// The plain text at once, and the marks as soon as the server has made them of it: undo goes back by the same steps.
async function paste(area, html, text) {
  const start = area.selectionStart;
  put(area, start, area.selectionEnd, text);
  const end = start + text.length;
  const response = await fetch("/desk/paste", {
    method: "POST",
    headers: headers({ "Content-Type": "application/json", "HX-Request": "true" }),
    body: JSON.stringify({ html }),
  }).catch(() => null);
  if (!response?.ok) return;
  const { markdown } = await response.json();
  if (markdown && markdown !== text && area.value.slice(start, end) === text) {
    const caret = area.selectionStart;
    const moved = caret >= end ? caret + markdown.length - text.length : start + markdown.length;
    put(area, start, end, markdown, moved);
  }
}
