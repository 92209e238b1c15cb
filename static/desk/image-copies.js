// @ts-check
// Copy images of a text into the media library: the server fetches those of other websites, and those that are data are
// uploaded. Until an image is copied, the text has its former address. Loaded with the first such image.
import { notify } from "./app.js";
import { isInItem, paragraphPlace } from "./image-placeholders.js";
import { copyFrom, showProgress, upload } from "./image-upload.js";
import { codeBefore, lineAt } from "./markdown-lines.js";
import { markedParts } from "./markdown-marks.js";
import { compositions, replaceElsewhere } from "./text-field.js";

const IMAGE =
  /!\[(?:[^\]\\]|\\.)*\]\(<?(data:image\/png;pasted-[\d-]+|https?:\/\/[^\s<>()]+(?:\([^\s<>()]*\)[^\s<>()]*)*)/g;
// An image that is data. Browsers write the HTML of the clipboard with quotes.
const DATA = /(<img\b[^>]*?\bsrc=)(["'])(data:image\/[^"']*)(\2[^>]*>)/gi;
// The address of images that are data, while the server converts the text. This name never exists (RFC 2606).
const CLIPBOARD = "https://clipboard.invalid/";
// Their address in the text until they are uploaded. The preview leaves it out, so that no browser looks for it.
const PENDING = "data:image/png;pasted-";

/**
 * Return pasted HTML with addresses instead of images that are data, and these images by their addresses in the text.
 * The HTML is not parsed: a parsed document has the policy of this page, and reports each of its inline styles.
 * @param {string} html
 */
export function withoutData(html) {
  /** @type {Map<string, File>} */
  const files = new Map();
  const kept = html.replace(DATA, (_image, before, quote, src, after) => {
    const file = fileOf(src);
    if (!file) return "";
    const name = `${Date.now()}-${files.size}`;
    files.set(PENDING + name, file);
    return `${before}${quote}${CLIPBOARD}${name}${after}`;
  });
  return { html: kept, files };
}

/**
 * Return the file that a data URL contains, or null if it is malformed.
 * @param {string} url
 */
function fileOf(url) {
  const [, type, data] = /^data:(image\/[a-z0-9.+-]+);base64,(.*)$/s.exec(url) ?? [];
  if (!type) return null;
  try {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
    return new File([bytes], `pasted.${type.slice("image/".length)}`, { type });
  } catch {
    return null;
  }
}

/**
 * Return the converted text with the addresses of images that are data as the text has them.
 * @param {string} markdown
 */
export function withPending(markdown) {
  return markdown.replaceAll(CLIPBOARD, PENDING);
}

/**
 * Return the edit that puts images without text into a text, as paragraphs of their own, or null if there is text, too,
 * or the place is within an item. What is between `start` and `end` is removed.
 * @param {string} value
 * @param {number} start
 * @param {number} end
 * @param {string} markdown
 * @returns {TextEdit | null}
 */
export function imageEdit(value, start, end, markdown) {
  if (!markdown.split("\n\n").every((paragraph) => /^\[?!\[[^\n]*\)$/.test(paragraph))) return null;
  const rest = value.slice(0, start) + value.slice(end);
  if (isInItem(rest, start)) return null;
  const { index, before, after } = paragraphPlace(rest, start);
  const text = rest.slice(start, index) + before + markdown;
  const caret = start + text.length;
  return { start, end: end + index - start, text: text + after, select: [caret, caret] };
}

/**
 * Return the addresses of the images of a Markdown text that are to be copied, each once.
 * @param {string} markdown
 * @param {string} origin That of this website.
 */
export function externalImages(markdown, origin) {
  const urls = Array.from(markdown.matchAll(IMAGE), ([, url]) => url);
  return [...new Set(urls)].filter((url) => URL.canParse(url) && !url.startsWith(`${origin}/`));
}

/**
 * Return a function that copies the images of a pasted text one after the other, and puts their new addresses into the
 * text area.
 * @param {HTMLTextAreaElement} area
 */
export function imageCopier(area) {
  const compositionEnd = compositions(area);
  // The addresses in the text of images that are data: nothing else has them until they are uploaded.
  /** @type {Set<string>} */
  const pending = new Set();
  let queue = Promise.resolve(); // the server copies one image of a user at a time
  addEventListener("beforeunload", (event) => {
    if (pending.size) event.preventDefault();
  });

  /**
   * @param {string[]} urls
   * @param {Map<string, File>} [files] The images that were data, by their addresses in the text. Without it, images
   *   that can't be copied are not listed.
   */
  function copyImages(urls, files) {
    for (const url of urls) if (files?.has(url)) pending.add(url);
    queue = queue.catch(() => {}).then(() => copyAll(urls, files));
    return queue;
  }

  /**
   * @param {string[]} urls
   * @param {Map<string, File>} [files]
   */
  async function copyAll(urls, files) {
    let count = 0;
    for (const url of urls.filter(placeOf)) count += Number(await copyOne(url, files?.get(url), files !== undefined));
    if (count) notify(`${count === 1 ? "1 image is" : `${count} images are`} now in the media library.`);
  }

  /**
   * @param {string} url
   * @param {File} [file]
   * @param {boolean} [isListed] Whether a failure is listed.
   * @returns {Promise<boolean>} Whether the image was copied.
   */
  async function copyOne(url, file, isListed = true) {
    const name = file?.name ?? nameOf(url);
    if (file) pending.add(url);
    const { update, end } = showProgress({ name });
    try {
      const image = await (file ? upload(file, update) : copyFrom(url, name));
      await compositionEnd();
      replaceAddress(url, image.url);
      if (document.querySelector(".failed")) (await import("./failed-uploads.js")).forget(url);
      return true;
    } catch (error) {
      if (!isListed) return false;
      const rest = file
        ? "Try again, or remove it from the text."
        : `The post still uses the image on ${new URL(url).host}.`;
      const reason = `${error instanceof Error ? error.message : error} ${rest}`;
      const { listFailure } = await import("./failed-uploads.js");
      listFailure({ name, url, reason, canRetry: true, isInText: !file, retry: () => copyOne(url, file), home: area });
      return false;
    } finally {
      pending.delete(url);
      end();
    }
  }

  /**
   * Return the first image with an address in the text, outside of code, as a match of IMAGE.
   * @param {string} url
   */
  function placeOf(url) {
    const { value } = area;
    return Array.from(value.matchAll(IMAGE)).find((found) => found[1] === url && !isInCode(value, found.index));
  }

  /**
   * @param {string} url
   * @param {string} path
   */
  function replaceAddress(url, path) {
    for (;;) {
      const place = placeOf(url);
      if (!place) return;
      const end = place.index + place[0].length;
      replaceElsewhere(area, end - url.length, end, path);
    }
  }

  return copyImages;
}

/**
 * Return whether a place in a text is code.
 * @param {string} value
 * @param {number} index
 */
export function isInCode(value, index) {
  const { start, text } = lineAt(value, index);
  const at = index - start;
  return codeBefore(value, index) !== null || markedParts(text, "`").some(({ from, to }) => from < at && at < to);
}

/**
 * Return the last part of an address, or its host.
 * @param {string} url
 */
function nameOf(url) {
  const { pathname, host } = new URL(url);
  const last = pathname.slice(pathname.lastIndexOf("/") + 1);
  return last.length > 1 && last.length < 60 ? last : host;
}
