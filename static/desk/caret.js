// @ts-check
// The place of the caret in the window. A text area does not tell it; the mirror behind it has the same lines.

/**
 * Return the rectangle of the character at an index, or of the one before it at the end of a line.
 * @param {HTMLTextAreaElement} area
 * @param {number} index
 */
export function placeOf(area, index) {
  const lines = area.value.slice(0, index).split("\n");
  const column = lines[lines.length - 1].length;
  const mirror = /** @type {HTMLElement} */ (area.nextElementSibling);
  mirror.hidden = false; // that of a very long text is laid out only to measure
  const line = /** @type {Text} */ (mirror.children[lines.length - 1].firstChild);
  const range = new Range();
  range.setStart(line, column);
  range.setEnd(line, column + 1); // every line of the mirror ends with a line break
  return range.getBoundingClientRect();
}

/**
 * Scroll to what an undo or a redo has changed. Browsers scroll to the caret after all other edits.
 * @param {HTMLTextAreaElement} area
 * @param {HTMLElement} writing The scrolling element around the text.
 */
export function showUndoneText(area, writing) {
  area.addEventListener("input", (event) => {
    if (!(/** @type {InputEvent} */ (event).inputType?.startsWith("history"))) return;
    const place = placeOf(area, area.selectionEnd);
    const shown = writing.getBoundingClientRect();
    const { scrollPaddingTop, scrollPaddingBottom } = getComputedStyle(writing);
    const above = shown.top + Number.parseFloat(scrollPaddingTop) - place.top;
    const below = place.bottom - shown.bottom + Number.parseFloat(scrollPaddingBottom);
    writing.scrollTop += Math.max(0, below) - Math.max(0, above);
  });
}
