// @ts-check
// Markdown keys: shortcuts for marks, lists that continue, pasted links and formatted text. Every change uses the
// browser's own editing, so that undo works. Tab is not used, because it moves the focus to the next field.
import { requestHeaders } from "./app.js";
import { continueList, EDITS, isUrl, link } from "./markdown-edits.js";
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
    if (!data || data.files.length) return;
    const text = data.getData("text/plain");
    const html = data.getData("text/html");
    const isFormatted = /<(?:a|b|strong|i|em|h[1-6]|ul|ol|table|blockquote)\b/i.test(html);
    if (area.selectionStart !== area.selectionEnd && isUrl(text.trim())) {
      event.preventDefault();
      applyEdit(area, link(area, text.trim()));
    } else if (isFormatted && !data.types.includes("vscode-editor-data")) {
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
  const response = await fetch("/desk/paste", {
    method: "POST",
    headers: requestHeaders({ "Content-Type": "application/json", "HX-Request": "true" }),
    body: JSON.stringify({ html }),
  }).catch(() => null);
  if (!response?.ok) return;
  const { markdown } = await response.json();
  if (!markdown || markdown === text || area.value.slice(start, end) !== text) return;
  const before = area.selectionStart;
  const caret = before >= end ? before + markdown.length - text.length : start + markdown.length;
  applyEdit(area, { start, end, text: markdown, select: [caret, caret] });
}
