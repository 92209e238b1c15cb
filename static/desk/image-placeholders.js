// @ts-check
// Add images to a text: a placeholder stands for each image until its upload ends. Loaded with the first image.
import { notify } from "./app.js";
import { showProgress, upload } from "./image-upload.js";
import { replaceText } from "./text-field.js";

/**
 * Return a placeholder for a file, different from all others, so that it can be found after the text has changed.
 * @param {string} filename
 * @param {(placeholder: string) => boolean} isTaken
 */
export function placeholderFor(filename, isTaken) {
  const name = filename.replace(/[[\]()\\`*_<>\n]/g, " ").trim() || "image";
  let placeholder = `![Uploading ${name}…]()`;
  for (let number = 2; isTaken(placeholder); number++) placeholder = `![Uploading ${name} (${number})…]()`;
  return placeholder;
}

/**
 * Return a function that adds images to a text area at the caret. Text that is typed meanwhile stays, and all
 * changes can be undone.
 * @param {HTMLTextAreaElement} area
 */
export function imageAdder(area) {
  /** @type {Set<string>} */
  const placeholders = new Set();
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
  addEventListener("beforeunload", (event) => {
    if (placeholders.size) event.preventDefault();
  });

  /**
   * Add images one after the other: on an empty line as paragraphs, else within the line.
   * @param {File[]} files
   */
  async function add(files) {
    const { value, selectionStart: start, selectionEnd: end } = area;
    const images = files.map((file) => {
      const placeholder = placeholderFor(file.name, (one) => placeholders.has(one) || value.includes(one));
      placeholders.add(placeholder);
      return { file, placeholder };
    });
    const isEmptyLine = /(^|\n)[ \t]*$/.test(value.slice(0, start)) && /^[ \t]*(\n|$)/.test(value.slice(end));
    replaceText(area, start, end, images.map(({ placeholder }) => placeholder).join(isEmptyLine ? "\n\n" : " "));
    const caret = area.selectionStart;
    for (const { file, placeholder } of images) await addOne(file, placeholder, caret);
  }

  /**
   * @param {File} file
   * @param {string} placeholder
   * @param {number} caret
   */
  async function addOne(file, placeholder, caret) {
    const { update, end } = showProgress(file);
    try {
      const image = await upload(file, update);
      await compositionEnd();
      insert(placeholder, image, caret);
    } catch (error) {
      await compositionEnd();
      replace(placeholder, "");
      notify(error instanceof Error ? error.message : String(error), "trouble");
    } finally {
      placeholders.delete(placeholder);
      end();
    }
  }

  /** Wait while an input method composes a word: a change of the text would break it. */
  async function compositionEnd() {
    if (isComposing) await new Promise((resolve) => waiting.push(() => resolve(undefined)));
  }

  /**
   * Put an image in place of its placeholder. If the caret has not moved, select the alt text.
   * @param {string} placeholder
   * @param {UploadedImage} image
   * @param {number} caret
   */
  function insert(placeholder, { markdown, alt }, caret) {
    const isUntouched = document.activeElement === area && area.selectionStart === caret && area.selectionEnd === caret;
    const start = replace(placeholder, markdown);
    if (start < 0) {
      notify("The image is in the media library. It isn't in the text, because its placeholder was removed.");
    } else if (isUntouched) {
      area.setSelectionRange(start + 2, start + 2 + alt.length);
      notify("Image added. Type its alt text between the brackets, for people who can't see it.");
    } else notify("Image added. Its alt text, between the brackets, is still missing.");
  }

  /**
   * Replace a placeholder, and keep the caret, the scroll position and the focus. Return where the new text begins, or
   * -1 if the placeholder is gone.
   * @param {string} placeholder
   * @param {string} text
   */
  function replace(placeholder, text) {
    const start = area.value.indexOf(placeholder);
    if (start < 0) return start;
    const { selectionStart, selectionEnd, scrollTop } = area;
    const end = start + placeholder.length;
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
    return start;
  }

  return add;
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
