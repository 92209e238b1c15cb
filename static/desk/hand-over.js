// @ts-check
// The page for copies that a person posts: copies the text, opens the editor, counts, and remembers the ticked steps.
import { closest } from "./app.js";

/**
 * What is kept in this browser until the copy is posted.
 * @typedef {{ steps: string[], words?: string, isAway?: boolean, isCopied?: boolean }} Progress
 */

const page = /** @type {HTMLElement} */ (document.querySelector("[data-hand-over]"));
/** @type {HTMLFormElement | null} */
const form = page.querySelector("form[data-steps]");
const prefix = `hand-over ${page.dataset.handOver} `;
const key = prefix + page.dataset.revision;

/**
 * Return the text of a template of the page.
 * @param {string} id
 */
const textOf = (id) =>
  /** @type {HTMLTemplateElement | null} */ (document.getElementById(id))?.content.textContent ?? "";

/** @returns {HTMLTextAreaElement | null} The title or text that can be shortened. */
const words = () => page.querySelector("[data-words]");

/* Copying. */

/** What counts as a copy of the whole text. */
const TEXTS = ["rich", "plain", "markdown", "field"];

/**
 * Return what a button copies, by media type.
 * @param {HTMLElement} button
 * @returns {Record<string, string | Promise<Blob>>}
 */
function wanted({ dataset }) {
  switch (dataset.copies) {
    case "rich":
      return rich("rich", textOf("plain"));
    case "paragraph":
      return rich(`rich-${dataset.at}`, textOf(`plain-${dataset.at}`));
    case "plain":
      return { "text/plain": textOf("plain") };
    case "markdown":
      return { "text/plain": /** @type {HTMLTextAreaElement} */ (document.getElementById("markdown")).value };
    case "field":
      return { "text/plain": words()?.value ?? "" };
    case "image":
      return { "image/png": asPng(dataset.value ?? "") };
  }
  return { "text/plain": dataset.value ?? "" };
}

/**
 * Return formatted text with its plain form for editors without formatting.
 * @param {string} id The element or template with the formatted text; without one, the text is plain.
 * @param {string} plain
 * @returns {Record<string, string>}
 */
function rich(id, plain) {
  const html = document.getElementById(id)?.getHTML().trim();
  return html ? { "text/html": html, "text/plain": plain } : { "text/plain": plain };
}

/**
 * Return an image of this server as PNG, the only type that every clipboard takes.
 * @param {string} path
 * @returns {Promise<Blob>}
 */
async function asPng(path) {
  const image = new Image();
  image.src = path;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.naturalWidth;
  canvas.height = image.naturalHeight;
  canvas.getContext("2d")?.drawImage(image, 0, 0);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The image is too large."))), "image/png"),
  );
}

/**
 * Write to the clipboard. Must be called in the click.
 * @param {Record<string, string | Promise<Blob>>} types
 */
async function write(types) {
  if (!navigator.clipboard) return writeByEvent(types);
  const entries = Object.entries(types).map(([type, value]) => {
    return [type, typeof value === "string" ? new Blob([value], { type }) : value];
  });
  await navigator.clipboard.write([new ClipboardItem(Object.fromEntries(entries))]);
}

/**
 * Write text where the page has no clipboard, which is so on a server without HTTPS.
 * @param {Record<string, string | Promise<Blob>>} types
 */
function writeByEvent(types) {
  let isDone = false;
  const onCopy = (/** @type {ClipboardEvent} */ event) => {
    for (const [type, value] of Object.entries(types)) {
      if (typeof value === "string") event.clipboardData?.setData(type, value);
      isDone ||= typeof value === "string";
    }
    event.preventDefault();
  };
  document.addEventListener("copy", onCopy);
  document.execCommand("copy");
  document.removeEventListener("copy", onCopy);
  if (!isDone) throw new Error("The browser didn't copy it.");
}

document.addEventListener("click", async (event) => {
  const button = closest(event, "[data-copies]");
  if (!button) return noteOpened(event);
  const address = button instanceof HTMLAnchorElement ? button.href : "";
  event.preventDefault();
  page.querySelector(".copy-fault")?.remove();
  try {
    await write(wanted(button));
  } catch {
    showFault(button);
    return;
  }
  noteCopied(button.dataset.copies ?? "");
  if (address) {
    leave();
    window.open(address, "_blank", "noopener,noreferrer");
  } else {
    confirmCopied(button);
  }
});

/** @param {string} what */
function noteCopied(what) {
  if (!form || !TEXTS.includes(what)) return;
  keep({ isCopied: true });
  const [first] = boxes();
  if (what === "field" || !first) return; // there, the first step is to check the text
  first.checked = true;
  keep({ steps: ticked() });
  showNextStep();
}

/** @param {HTMLElement} button */
function confirmCopied(button) {
  const label = button.querySelector("span:not(.sr)") ?? button;
  const before = button.dataset.label ?? label.textContent ?? "";
  button.dataset.label = before;
  label.textContent = "Copied";
  const status = page.querySelector("[data-copied]");
  if (status) status.textContent = "Copied";
  setTimeout(() => {
    label.textContent = before;
    if (status) status.textContent = "";
  }, 1500);
}

/**
 * Say next to the button that nothing was copied.
 * @param {HTMLElement} button
 */
function showFault(button) {
  const fault = document.createElement("span");
  fault.className = "err copy-fault";
  fault.role = "alert";
  fault.textContent =
    {
      image: "This browser can't copy the image. Download it instead.",
      rich: "The text couldn't be copied. Select it on this page and copy it by hand.",
    }[button.dataset.copies ?? ""] ?? "This couldn't be copied. Select it on this page and copy it by hand.";
  (button.closest(".acts, .note") ?? button).append(fault);
}

/* Going to the editor, and coming back. */

/** @param {Event} event */
function noteOpened(event) {
  if (closest(event, "a[data-editor]")) leave();
}

let isAway = false;
let hasOpened = false;

/** Remember that the user goes to the platform. The browser may discard this page meanwhile. */
function leave() {
  hasOpened = true;
  keep({ isAway: true });
}

for (const [target, type] of /** @type {[EventTarget, string][]} */ ([
  [document, "visibilitychange"],
  [window, "blur"],
  [window, "focus"],
])) {
  target.addEventListener(type, () => {
    if (!hasOpened || !form) return;
    if (document.hidden || type === "blur") isAway = true;
    else if (isAway) comeBack();
  });
}

/** The user is back from the platform: the link comes next. */
function comeBack() {
  hasOpened = isAway = false;
  for (const box of boxes().slice(0, -1)) box.checked = true;
  keep({ isAway: false, steps: ticked() });
  showNextStep(kept().isCopied ? `${words()?.name === "title" ? "Title" : "Text"} copied. ` : "");
  document.getElementById("url")?.focus();
}

/* Steps. */

/** @returns {HTMLInputElement[]} */
const boxes = () => Array.from(form?.querySelectorAll("input[name=step]") ?? []);

const ticked = () =>
  boxes()
    .filter((box) => box.checked)
    .map((box) => box.value);

/**
 * Show what comes next: the editor, or the link as soon as all steps before it are ticked.
 * @param {string} [before] What was done, as a sentence.
 */
function showNextStep(before = "") {
  const isLink = "back" in page.dataset || boxes().every((box, index, all) => box.checked || index === all.length - 1);
  const top = page.querySelector("[data-top]");
  const posted = page.querySelector("[data-posted]");
  const says = page.querySelector("[data-says]");
  if (!(top instanceof HTMLElement) || !posted || !(says instanceof HTMLElement)) return;
  top.hidden = isLink;
  posted.classList.toggle("go", isLink);
  posted.querySelector("button")?.classList.toggle("btn-go", isLink);
  const line = says.querySelector("span:last-child");
  if (!line) return;
  says.dataset.firstText ??= line.textContent ?? "";
  const text = isLink ? `${before}${says.dataset.backText}` : says.dataset.firstText;
  if (!line.textContent?.endsWith(text)) line.textContent = text;
}

/* What this browser keeps. */

/** @returns {Progress} */
function kept() {
  try {
    return { steps: [], ...JSON.parse(localStorage.getItem(key) ?? "{}") };
  } catch {
    return { steps: [] };
  }
}

/** @param {Partial<Progress>} news */
function keep(news) {
  try {
    localStorage.setItem(key, JSON.stringify({ ...kept(), ...news }));
  } catch {} // the browser has no storage, or it is full
}

function restore() {
  const { steps, words: typed, isAway: wasAway } = kept();
  for (const box of boxes()) box.checked ||= steps.includes(box.value);
  const field = words();
  if (field && typed !== undefined && field.value === field.defaultValue) field.value = typed;
  if (wasAway) comeBack();
}

/** Forget the delivery: it is done. */
function forget() {
  try {
    for (const one of Object.keys(localStorage)) if (one.startsWith(prefix)) localStorage.removeItem(one);
  } catch {} // the browser has no storage
}

/* The title or text, with its length and the address of the editor. */

// Code points that X counts once; others count twice, and an emoji counts 2.
const LIGHT = /[\0-\u10FF\u2000-\u200D\u2010-\u201F\u2032-\u2037]/u;
const LINK = /https?:\/\/[^\s<>"]+/gi;
const EMOJI = /\p{Emoji_Presentation}|\uFE0F|\u20E3/u;

/** @param {string} text */
const graphemes = (text) => Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);

/** @param {string} grapheme */
const weight = (grapheme) =>
  EMOJI.test(grapheme) ? 2 : [...grapheme].reduce((sum, letter) => sum + (LIGHT.test(letter) ? 1 : 2), 0);

/** @type {Record<string, (text: string) => number>} */
const LENGTHS = {
  characters: (text) => [...text].length,
  graphemes: (text) => graphemes(text).length,
  utf16: (text) => text.length,
  bytes: (text) => new TextEncoder().encode(text).length,
  weighted: (text) => graphemes(text.normalize("NFC")).reduce((sum, one) => sum + weight(one), 0),
};

/** @param {HTMLTextAreaElement} field */
function count(field) {
  const line = document.getElementById("words-count");
  const { most, unit = "characters", unitName, linkCost, platform } = field.dataset;
  if (!line) return;
  const length = LENGTHS[unit] ?? LENGTHS.characters;
  const text = linkCost ? field.value.replace(LINK, "x".repeat(Number(linkCost))) : field.value;
  const number = length(text);
  const over = most ? Math.max(0, number - Number(most)) : 0;
  const format = (/** @type {number} */ one) => one.toLocaleString("en");
  const rest = over ? `. Remove ${format(over)}, or ${platform} rejects it.` : "";
  line.textContent = most
    ? `${format(number)} of ${format(Number(most))} ${unitName}${rest}`
    : `${format(number)} characters`;
  line.classList.toggle("err", over > 0);
  line.classList.toggle("note", !over);
  if (over) field.setAttribute("aria-invalid", "true");
  else field.removeAttribute("aria-invalid");
}

/**
 * Fill what is typed into the address of the editor.
 * @param {HTMLTextAreaElement} field
 */
function fillAddress(field) {
  const { address = "", longest, link = "" } = form?.dataset ?? {};
  const values = { title: "", text: "", link, [field.name]: field.value };
  const filled = address.replace(/\{(title|text|link)\}/g, (_, name) => encodeURIComponent(values[name]));
  const bare = address.replace(/\{(title|text|link)\}/g, "");
  /** @type {NodeListOf<HTMLAnchorElement>} */
  const links = page.querySelectorAll("a[data-editor]");
  for (const one of links) one.href = filled.length <= Number(longest) ? filled : bare;
}

document.addEventListener("input", ({ target }) => {
  const field = words();
  if (!field || target !== field) return;
  count(field);
  fillAddress(field);
  keep({ words: field.value });
});

document.addEventListener("change", (event) => {
  if (!closest(event, "input[name=step]")) return;
  keep({ steps: ticked() });
  showNextStep();
});

if (form) {
  restore();
  const field = words();
  if (field) {
    count(field);
    fillAddress(field);
  }
  showNextStep();
} else if (page.dataset.state === "done" || page.dataset.state === "gone") {
  forget();
} else if ("soon" in page.dataset) {
  setTimeout(() => location.reload(), 2000);
}
