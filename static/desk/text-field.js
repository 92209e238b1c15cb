// @ts-check

/**
 * Replace a part of the text as if it were typed, so that the browser's undo works.
 * @param {HTMLTextAreaElement} area
 * @param {number} start
 * @param {number} end
 * @param {string} text
 */
export function replaceText(area, start, end, text) {
  area.focus({ preventScroll: true });
  area.setSelectionRange(start, end);
  if (start === end && !text) return;
  if (document.execCommand(text ? "insertText" : "delete", false, text)) return;
  area.setRangeText(text, start, end, "end");
  area.dispatchEvent(new InputEvent("input", { bubbles: true }));
}
