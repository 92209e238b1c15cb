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
  // Below a dialog, it can't have the focus, and the command would change another field.
  if (document.activeElement === area && document.execCommand(text ? "insertText" : "delete", false, text)) return;
  area.setRangeText(text, start, end, "end");
  area.dispatchEvent(new InputEvent("input", { bubbles: true }));
}

/**
 * Replace a part of the text, and keep the caret, the scroll position and the focus.
 * @param {HTMLTextAreaElement} area
 * @param {number} start
 * @param {number} end
 * @param {string} text
 */
export function replaceElsewhere(area, start, end, text) {
  const { selectionStart, selectionEnd, scrollTop } = area;
  const focused = document.activeElement;
  replaceText(area, start, end, text);
  area.setSelectionRange(
    movedIndex(selectionStart, start, end, text.length),
    movedIndex(selectionEnd, start, end, text.length),
  );
  area.scrollTop = scrollTop;
  if (focused instanceof HTMLElement && focused !== area && focused !== document.body) {
    focused.focus({ preventScroll: true });
  }
}

/**
 * Return the new value of an index after the text from `start` to `end` was replaced by text of another length.
 * @param {number} index
 * @param {number} start
 * @param {number} end
 * @param {number} length
 */
export function movedIndex(index, start, end, length) {
  return index < end ? Math.min(index, start) : index - (end - start) + length;
}

/**
 * Return a function that waits while an input method composes a word: a change of the text would break it.
 * @param {HTMLTextAreaElement} area
 */
export function compositions(area) {
  /** @type {(() => void)[]} */
  const waiting = [];
  let isComposing = false;
  area.addEventListener("compositionstart", () => {
    isComposing = true;
  });
  area.addEventListener("compositionend", () => {
    isComposing = false;
    for (const resume of waiting.splice(0)) resume();
  });
  return async () => {
    if (isComposing) await new Promise((resolve) => waiting.push(() => resolve(undefined)));
  };
}
