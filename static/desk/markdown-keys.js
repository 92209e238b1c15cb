// @ts-check
// Markdown keys: shortcuts for marks, lists that continue, pasted links and formatted text. Every change uses the
// browser's own editing, so that undo works. Tab moves the focus, except in lists and code; behind Escape, there, too.
import { notify, requestHeaders } from "./app.js";
import { filesOf } from "./image-paste.js";
import { EDITS, isUrl, link } from "./markdown-edits.js";
import { codeBefore } from "./markdown-lines.js";
import { continueLine, indentLines, outdentLines } from "./markdown-lists.js";
import { replaceText } from "./text-field.js";

/**
 * @param {HTMLTextAreaElement} area
 * @param {TextEdit | null} edit
 */
export function applyEdit(area, edit) {
  if (!edit) return;
  area.focus();
  replaceText(area, edit.start, edit.end, edit.text);
  const caret = edit.start + edit.text.length;
  area.setSelectionRange(...(edit.select ?? [caret, caret]));
}

/**
 * Return the name of the edit for a shortcut. Digits are recognized by their physical key, because Shift changes their
 * characters.
 * @param {KeyboardEvent} event
 */
function editOf(event) {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return undefined;
  /** @type {Record<string, string>} */
  const names = event.shiftKey
    ? { Digit7: "numbers", Digit8: "bullets", KeyL: "tasks" }
    : { b: "bold", i: "italic", k: "link", e: "code", "]": "indent", "[": "outdent" };
  return names[event.shiftKey ? event.code : event.key.toLowerCase()];
}

/**
 * Return the edit for a key, null if the key changes nothing here, or undefined if it is the browser's.
 * @param {HTMLTextAreaElement} area
 * @param {KeyboardEvent} event
 */
function editFor(area, event) {
  const name = editOf(event);
  if (name) return EDITS[name](area);
  if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
  if (event.key === "Tab") return event.shiftKey ? (outdentLines(area) ?? undefined) : indentLines(area);
  if (event.key === "Enter" && !event.shiftKey) return continueLine(area) ?? undefined;
  return undefined;
}

/**
 * Add the Markdown keys to a text area.
 * @param {HTMLTextAreaElement} area
 */
export function addMarkdownKeys(area) {
  let isLeaving = false; // Escape was pressed
  area.addEventListener("keydown", (event) => {
    if (event.isComposing || event.key === "Shift") return;
    const edit = isLeaving && event.key === "Tab" ? undefined : editFor(area, event);
    isLeaving = event.key === "Escape";
    if (edit === undefined) return;
    applyEdit(area, edit);
    event.preventDefault();
  });
  area.addEventListener("paste", (event) => {
    const data = event.clipboardData;
    if (!data || filesOf(data).length) return;
    const text = data.getData("text/plain");
    const html = data.getData("text/html");
    const isFormatted = /<(?:a|b|strong|i|em|h[1-6]|ul|ol|table|blockquote|img)\b/i.test(html);
    if (area.selectionStart !== area.selectionEnd && isUrl(text.trim())) {
      event.preventDefault();
      applyEdit(area, link(area, text.trim()));
    } else if (
      isFormatted &&
      !data.types.includes("vscode-editor-data") &&
      !codeBefore(area.value, area.selectionStart)
    ) {
      event.preventDefault();
      pasteHtml(area, html, text);
    }
  });
}

/**
 * Paste the plain text at once, and replace it when the server has converted the HTML to Markdown. These are two
 * steps for undo.
 * @param {HTMLTextAreaElement} area
 * @param {string} html
 * @param {string} text
 */
async function pasteHtml(area, html, text) {
  const start = area.selectionStart;
  applyEdit(area, { start, end: area.selectionEnd, text });
  const end = start + text.length;
  const copies = /<img\b/i.test(html) ? await loadCopies() : null;
  const { html: sent, files } = copies ? copies.withoutData(html) : { html, files: new Map() };
  const response = await fetch("/desk/paste", {
    method: "POST",
    headers: requestHeaders({ "Content-Type": "application/json", "HX-Request": "true" }),
    body: JSON.stringify({ html: sent }),
  }).catch(() => null);
  if (!response?.ok) {
    notify("The text was pasted without its formatting, which the server could not convert.", "trouble");
    return;
  }
  const { markdown: converted } = await response.json();
  const markdown = copies ? copies.withPending(converted) : converted;
  if (!markdown || markdown === text || area.value.slice(start, end) !== text) return;
  const before = area.selectionStart;
  const caret = before >= end ? before + markdown.length - text.length : start + markdown.length;
  applyEdit(area, { start, end, text: markdown, select: [caret, caret] });
  if (copies) copierOf(area, copies)(markdown, files);
}

/** Load the module that copies images. Without it, the text shows them from where they were. */
async function loadCopies() {
  try {
    return await import("./image-copies.js");
  } catch {
    notify("Pasted images can't be copied now. Check your connection and paste them again.", "trouble");
    return null;
  }
}

/** @type {WeakMap<HTMLTextAreaElement, (markdown: string, files: Map<string, File>) => void>} */
const copiers = new WeakMap();

/**
 * @param {HTMLTextAreaElement} area
 * @param {typeof import("./image-copies.js")} copies
 */
function copierOf(area, copies) {
  const copier = copiers.get(area) ?? copies.imageCopier(area);
  copiers.set(area, copier);
  return copier;
}
