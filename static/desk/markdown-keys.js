// @ts-check
// Markdown keys: shortcuts for marks, lists that continue, pasted links and formatted text. Every change uses the
// browser's own editing, so that undo works. Tab moves the focus, except in lists and code; behind Escape, there, too.
import { notify, requestHeaders } from "./app.js";
import { filesOf, moveCaret } from "./image-paste.js";
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
    const isFormatted = ELEMENTS.test(html) || STYLES.test(html);
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
  // An image of another page. Browsers add its file only for some images.
  area.addEventListener("drop", (event) => {
    const html = event.dataTransfer?.files.length === 0 ? event.dataTransfer.getData("text/html") : "";
    if (!HAS_IMAGE.test(html)) return;
    event.preventDefault();
    moveCaret(area, event);
    pasteHtml(area, html, "");
  });
}

// What makes pasted HTML more than its text: elements, and the classes and styles of word processors.
const ELEMENTS = new RegExp(
  "<(?:a|b|strong|i|em|s|del|strike|sup|sub|h[1-6]|hr|ul|ol|li|dl|table|blockquote|pre|code|tt|kbd|samp" +
    "|img|input|iframe|details)\\b",
  "i",
);
const STYLES = new RegExp(
  'MsoListParagraph|mso-list:|MsoTitle|Mso(?:Intense)?Quote|class="?quotations|Apple-tab-span' +
    '|role="?(?:heading|checkbox)|font-weight:\\s*(?:bold|[6-9]00)|font-style:\\s*italic' +
    "|line-through|vertical-align:\\s*su(?:b|per)",
  "i",
);
const HAS_IMAGE = /<img\b/i;

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
  const copies = HAS_IMAGE.test(html) ? await loadCopies() : null;
  const { html: sent, files } = copies ? copies.withoutData(html) : { html, files: new Map() };
  const response = await fetch("/desk/paste", {
    method: "POST",
    headers: requestHeaders({ "Content-Type": "application/json", "HX-Request": "true" }),
    body: JSON.stringify({ html: sent }),
  }).catch(() => null);
  if (!response?.ok) {
    const lost = text ? "The text was pasted without its formatting" : "The image wasn't added";
    notify(`${lost}, because the server could not convert it.`, "trouble");
    return;
  }
  const { markdown: converted, lostImages } = await response.json();
  if (lostImages) {
    const [what, one] = lostImages > 1 ? [`${lostImages} images`, "each image"] : ["1 image", "it"];
    notify(`${what} can't be pasted together with the text. Copy ${one} by itself, and paste it here.`, "trouble");
  }
  const markdown = copies ? copies.withPending(converted) : converted;
  if (!markdown || markdown === text || area.value.slice(start, end) !== text) return;
  /** @type {TextEdit} */
  const edit = copies?.imageEdit(area.value, start, end, markdown) ?? { start, end, text: markdown };
  const caret = caretAfter(edit, end, area.selectionStart);
  applyEdit(area, { ...edit, select: [caret, caret] });
  if (copies) copierOf(area, copies)(copies.externalImages(markdown, location.origin), files);
}

/**
 * Copy images of other websites that are in a text. Those that can't be copied stay as they are.
 * @param {HTMLTextAreaElement} area
 * @param {string[]} urls
 */
export async function copyImages(area, urls) {
  const copies = await loadCopies();
  if (copies) await copierOf(area, copies)(urls);
}

/**
 * Return the caret after an edit: behind what was pasted, unless the user has moved on.
 * @param {TextEdit} edit
 * @param {number} end Of what the edit removes. The text from there to the end of the edit is in the new text, too.
 * @param {number} caret
 */
function caretAfter(edit, end, caret) {
  if (caret < edit.start) return caret;
  if (caret > edit.end) return caret + edit.text.length - (edit.end - edit.start);
  return caret > end ? caret - (end - edit.start) : (edit.select?.[0] ?? edit.start + edit.text.length);
}

/** Load the module that copies images. Without it, the text shows them from where they were. */
async function loadCopies() {
  try {
    return await import("./image-copies.js");
  } catch {
    notify("Images can't be copied now. Check your connection and try again.", "trouble");
    return null;
  }
}

/** @type {WeakMap<HTMLTextAreaElement, ReturnType<typeof import("./image-copies.js").imageCopier>>} */
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
