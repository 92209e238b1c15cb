// @ts-check
// Markdown keys: shortcuts for marks, lists that continue, pasted links and formatted text. Every change uses the
// browser's own editing, so that undo works. Tab is not used, because it moves the focus to the next field.
import { notify, requestHeaders } from "./app.js";
import { filesOf } from "./image-paste.js";
import { continueList, EDITS, isInCode, isUrl, link } from "./markdown-edits.js";
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
 * Add the Markdown keys to a text area.
 * @param {HTMLTextAreaElement} area
 */
export function addMarkdownKeys(area) {
  area.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const name = editOf(event);
    const hasModifier = event.shiftKey || event.ctrlKey || event.metaKey || event.altKey;
    if (name) applyEdit(area, EDITS[name](area));
    else {
      const edit = event.key === "Enter" && !hasModifier ? continueList(area) : null;
      if (!edit) return;
      applyEdit(area, edit);
    }
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
    } else if (isFormatted && !data.types.includes("vscode-editor-data") && !isInCode(area)) {
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
