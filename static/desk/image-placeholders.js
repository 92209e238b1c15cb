// @ts-check
// Add images to a text: a placeholder stands for each image until its upload ends. Loaded with the first image.
import { notify } from "./app.js";
import { problemOf, showProgress, upload } from "./image-upload.js";
import { compositions, replaceElsewhere, replaceText } from "./text-field.js";

const CONTEXT = 60; // characters of text by which the place of a failed upload is found again

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
  const compositionEnd = compositions(area);
  addEventListener("beforeunload", (event) => {
    if (placeholders.size) event.preventDefault();
  });

  /**
   * Add images one after the other, in place of the selection: each as a paragraph, or a single one within the item of
   * a list or the cell of a table.
   * @param {File[]} files
   */
  async function add(files) {
    replaceText(area, area.selectionStart, area.selectionEnd, "");
    const { value, selectionStart: caretBefore } = area;
    const images = files.map((file) => {
      const placeholder = placeholderFor(file.name, (one) => placeholders.has(one) || value.includes(one));
      placeholders.add(placeholder);
      return { file, placeholder };
    });
    const { index, before, after } =
      files.length === 1 && isInItem(value, caretBefore)
        ? { index: caretBefore, before: "", after: "" }
        : paragraphPlace(value, caretBefore);
    const paragraphs = before + images.map(({ placeholder }) => placeholder).join("\n\n");
    replaceText(area, index, index, paragraphs + after);
    const caret = index + paragraphs.length;
    area.setSelectionRange(caret, caret);
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
      const place = remove(placeholder);
      const reason = error instanceof Error ? error.message : String(error);
      const { listFailure } = await import("./failed-uploads.js");
      listFailure({
        name: file.name,
        reason,
        canRetry: !problemOf(file),
        retry: () => addAgain(file, place),
        home: area,
      });
    } finally {
      placeholders.delete(placeholder);
      end();
    }
  }

  /**
   * Add an image where it was to be before.
   * @param {File} file
   * @param {{ before: string, after: string }} place
   */
  async function addAgain(file, { before, after }) {
    const { value } = area;
    const places = [value.indexOf(before + after), value.indexOf(before)].filter((index) => index >= 0);
    const index = places.length ? places[0] + before.length : area.selectionEnd;
    area.setSelectionRange(index, index);
    await add([file]);
  }

  /**
   * Remove a placeholder, and the line breaks that made it a paragraph. Return the text around its place.
   * @param {string} placeholder
   */
  function remove(placeholder) {
    const start = area.value.indexOf(placeholder);
    const end = start + placeholder.length;
    const isParagraph = area.value.slice(0, start).endsWith("\n\n") && /^(\n\n|$)/.test(area.value.slice(end));
    const removed = replace((isParagraph ? "\n\n" : "") + placeholder, "");
    const index = removed < 0 ? area.selectionEnd : removed;
    return {
      before: area.value.slice(Math.max(0, index - CONTEXT), index),
      after: area.value.slice(index, index + CONTEXT),
    };
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
   * Replace a placeholder. Return where the new text begins, or -1 if the placeholder is gone.
   * @param {string} placeholder
   * @param {string} text
   */
  function replace(placeholder, text) {
    const start = area.value.indexOf(placeholder);
    if (start >= 0) replaceElsewhere(area, start, start + placeholder.length, text);
    return start;
  }

  return add;
}

const ITEM = /^[ \t]*(?:[-*+>|]|\d{1,9}[.)][ \t])/;

/**
 * Return whether the line at an index is an item of a list, a quote or a row of a table.
 * @param {string} value
 * @param {number} index
 */
export function isInItem(value, index) {
  return ITEM.test(value.slice(value.slice(0, index).lastIndexOf("\n") + 1));
}

/**
 * Return where a new paragraph goes, and the line breaks that it needs before and after it: at the index if a paragraph
 * begins there or the line is empty, else behind the paragraph.
 * @param {string} value
 * @param {number} index
 */
export function paragraphPlace(value, index) {
  const isBlockStart = /(^|\n[ \t]*\n)[ \t]*$/.test(value.slice(0, index));
  const isEmptyLine = /(^|\n)[ \t]*$/.test(value.slice(0, index)) && /^[ \t]*(\n|$)/.test(value.slice(index));
  const rest = isBlockStart || isEmptyLine ? 0 : value.slice(index).search(/\n[ \t]*(\n|$)|$/);
  const head = value.slice(0, index + rest);
  const tail = value.slice(index + rest);
  return { index: head.length, before: missing(head, /\s*$/), after: missing(tail, /^\s*/) };
}

/**
 * Return the line breaks that a text needs at one end to be a paragraph of its own.
 * @param {string} text
 * @param {RegExp} space
 */
function missing(text, space) {
  const breaks = (space.exec(text)?.[0] ?? "").split("\n").length - 1;
  return text.trim() ? "\n".repeat(Math.max(0, 2 - breaks)) : "";
}
