// @ts-check
// A panel below an image in the text: its thumbnail, alt text and caption. A change is written into the Markdown when a
// field is left, as one step for undo. Loaded when the caret enters the first image.
import { notify } from "./app.js";
import { placeOf } from "./caret.js";
import { replaceText } from "./text-field.js";

const IMAGE = /!\[((?:\\.|[^[\]\\])*)\]\((<[^<>]*>|[^\s()]*(?:\([^\s()]*\)[^\s()]*)*)((?:\s+"(?:\\.|[^"\\])*")?\s*)\)/g;
const CAPTION = /^[ \t]*\n[ \t]*\n?\*((?:\\.|[^*\\\n])+)\*(?=[ \t]*(?:\n[ \t]*\n|\n?$))/;
const MAX_LINE_LENGTH = 5000;
const GAP = 6; // pixels between the line and the panel

/**
 * Return the image at an index of a text, or null. Its caption is the paragraph in italics below it, as in imported
 * texts; null if the image shares its line with other text.
 * @param {string} value
 * @param {number} index
 * @returns {ImageInText | null}
 */
export function imageAt(value, index) {
  const lineStart = value.slice(0, index).lastIndexOf("\n") + 1;
  const line = /** @type {string} */ (/^.*/.exec(value.slice(lineStart, lineStart + MAX_LINE_LENGTH))?.[0]);
  for (const found of line.matchAll(IMAGE)) {
    const start = lineStart + found.index;
    const end = start + found[0].length;
    if (index < start || index > end) continue;
    const isAlone = line.trim() === found[0];
    const caption = isAlone ? CAPTION.exec(value.slice(end)) : null;
    return {
      start,
      end: end + (caption?.[0].length ?? 0),
      rawAlt: found[1],
      alt: unescapeMarks(found[1]),
      address: found[2],
      title: found[3],
      caption: isAlone ? (caption?.[1] ?? "").replace(/\\(.)/g, (pair, mark) => (mark === "*" ? mark : pair)) : null,
    };
  }
  return null;
}

/**
 * Return an image and its caption as Markdown. The caption is Markdown already, in which only its asterisks, and a
 * backslash at its end, are escaped.
 * @param {ImageInText} image
 */
export function markdownOf({ rawAlt, alt, address, title, caption }) {
  const escaped = alt === unescapeMarks(rawAlt) ? rawAlt : alt.replace(/[\\`*_{}[\]<>()#!&~|$^:@]/g, "\\$&");
  const line = caption?.replace(/\\.|[\\*]/g, (mark) => (mark.length > 1 ? mark : `\\${mark}`));
  return `![${escaped}](${address}${title})${line ? `\n\n*${line}*` : ""}`;
}

/** @param {string} text */
function unescapeMarks(text) {
  return text.replace(/\\([!-/:-@[-`{-~])/g, "$1");
}

/**
 * Add the panel to the editor. Return `follow`, to be called when the caret moves, and `focus`, which moves the focus
 * into the panel.
 * @param {HTMLTextAreaElement} area
 */
export function imagePanel(area) {
  const box = /** @type {HTMLElement} */ (area.parentElement);
  const panel = document.createElement("div");
  panel.className = "image-panel";
  panel.setAttribute("role", "group");
  panel.setAttribute("aria-label", "Image");
  panel.hidden = true;
  const thumbnail = document.createElement("img");
  thumbnail.alt = "";
  let alt = addField("Alt text", "For people who can't see it. Empty: that of the media library");
  let caption = addField("Caption", "Shown below the image");
  const hint = document.createElement("p");
  hint.className = "note";
  hint.textContent = "F2 moves here, Esc back to the text.";
  panel.prepend(thumbnail);
  panel.append(hint);
  box.append(panel);
  /** @type {ImageInText | null} */
  let image = null;

  /**
   * @param {string} label
   * @param {string} placeholder
   */
  function addField(label, placeholder) {
    const field = document.createElement("input");
    Object.assign(field, { type: "text", placeholder, autocomplete: "off", dir: "auto" });
    const wrapper = document.createElement("label");
    wrapper.append(label, field);
    panel.append(wrapper);
    return field;
  }

  /** Show the panel if the caret is in an image, or hide it. */
  function follow() {
    if (panel.contains(document.activeElement)) return;
    write();
    const isHere = document.activeElement === area && area.selectionStart === area.selectionEnd;
    const found = isHere ? imageAt(area.value, area.selectionEnd) : null;
    image = found;
    if (found) show(found);
    panel.hidden = !found;
    if (found) place(found);
  }

  /** @param {ImageInText} found */
  function show(found) {
    [alt, caption] = [alt, caption].map(withoutHistory);
    alt.value = alt.defaultValue = found.alt;
    caption.value = caption.defaultValue = found.caption ?? "";
    /** @type {HTMLElement} */ (caption.parentElement).hidden = found.caption === null;
    const isOurs = found.address.startsWith("/media/");
    if (isOurs && thumbnail.getAttribute("src") !== found.address) thumbnail.src = found.address;
    thumbnail.hidden = !isOurs;
  }

  /**
   * Return a new field in place of one that was edited: the browser has one history for all fields of a page, and an
   * undo in the text must not undo what was typed here.
   * @param {HTMLInputElement} field
   */
  function withoutHistory(field) {
    if (!field.value) return field;
    const fresh = /** @type {HTMLInputElement} */ (field.cloneNode());
    field.replaceWith(fresh);
    return fresh;
  }

  /**
   * Put the panel below the line of the image, or above it if there is no space below.
   * @param {ImageInText} found
   */
  function place({ start }) {
    const first = placeOf(area, start);
    const last = placeOf(area, start + area.value.slice(start).search(/\n|$/));
    const { top } = box.getBoundingClientRect();
    const bottom = document.querySelector(".base")?.getBoundingClientRect().top ?? innerHeight;
    const isBelow = last.bottom + GAP + panel.offsetHeight < bottom;
    panel.style.top = `${(isBelow ? last.bottom + GAP : first.top - GAP - panel.offsetHeight) - top}px`;
  }

  /** Write what was typed into the fields into the text, and nothing else. The focus stays where it is. */
  function write() {
    const edited = [alt, caption].filter(({ value, defaultValue }) => value !== defaultValue);
    if (!image || !edited.length) return;
    const now = imageAt(area.value, image.start);
    if (now?.address !== image.address) {
      notify("The image has moved or was removed. Put the caret into it again.", "trouble");
      return;
    }
    const oneLine = (/** @type {string} */ text) => text.replace(/\s+/g, " ").trim();
    const text = markdownOf({
      ...now,
      alt: edited.includes(alt) ? oneLine(alt.value) : now.alt,
      caption: edited.includes(caption) && now.caption !== null ? oneLine(caption.value) : now.caption,
    });
    image = now;
    for (const field of edited) field.defaultValue = field.value;
    if (text === area.value.slice(now.start, now.end)) return;
    const focused = document.activeElement;
    const { selectionStart, selectionEnd } = area;
    const moved = (/** @type {number} */ index) =>
      index < now.end ? Math.min(index, now.start + 2) : index + text.length - (now.end - now.start);
    replaceText(area, now.start, now.end, text);
    area.setSelectionRange(moved(selectionStart), moved(selectionEnd));
    if (focused instanceof HTMLElement && focused !== area && focused !== document.body) {
      focused.focus({ preventScroll: true });
    }
  }

  panel.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const hasCtrl = event.ctrlKey || event.metaKey;
    if (hasCtrl && (event.key === "s" || event.key === "Enter")) write(); // before the shortcut saves the text
    if (event.key !== "Escape" && event.key !== "F2" && (event.key !== "Enter" || hasCtrl)) return;
    event.preventDefault();
    event.stopPropagation();
    write();
    area.focus();
  });
  panel.addEventListener("change", () => setTimeout(write)); // when the focus has moved on
  panel.addEventListener("focusout", () => setTimeout(follow));
  addEventListener("pagehide", write, { capture: true });

  return {
    follow,
    focus() {
      follow();
      if (panel.hidden) notify("Put the caret into an image first.");
      else alt.focus();
    },
  };
}
