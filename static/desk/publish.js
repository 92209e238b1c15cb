// @ts-check
// The publish dialog: a dialog over the text. Its button is under the pointer that opened it.
import { closest, notify, openDialog } from "./app.js";
import { buttonLabel, shortTime, summary, zoneLabel } from "./publish-labels.js";

const UNSAVED = "The post wasn't published, because its text couldn't be saved. The text is kept on this device.";
const OPENERS = 'a[data-publish], a[href$="/publish"]';
const FORM = "form[data-sheet]";

/** @type {HTMLElement | undefined} */
let opener;

// Ctrl+Enter opens the sheet, and pressed again it publishes.
document.addEventListener(
  "keydown",
  (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
    const hasDialog = document.querySelector("dialog[open]") !== null;
    /** @type {HTMLFormElement | null} */
    const form = document.querySelector(hasDialog ? `dialog[open] ${FORM}` : `main ${FORM}`);
    /** @type {HTMLAnchorElement | null} */
    const link = hasDialog ? null : document.querySelector(OPENERS);
    if (!form && !link) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.repeat) return;
    const button = form && publishButton(form);
    if (button && !button.disabled) form.requestSubmit(button);
    else if (!form && link) openSheet(link);
  },
  true,
);

document.addEventListener(
  "click",
  (event) => {
    /** @type {HTMLAnchorElement | null} */
    const link = closest(event, OPENERS);
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation(); // the text is saved first
    openSheet(link);
  },
  true,
);

/**
 * Save the text, then load the sheet.
 * @param {HTMLAnchorElement} link
 */
async function openSheet(link) {
  if (link.hasAttribute("aria-busy")) return;
  opener = link;
  link.setAttribute("aria-busy", "true");
  try {
    await allUploads();
    /** @type {Promise<boolean>[]} */
    const waitFor = [];
    document.dispatchEvent(new CustomEvent("blogsvc:save", { detail: { waitFor } }));
    if ((await Promise.all(waitFor)).includes(false)) throw new Error(UNSAVED);
    const dialog = sheet() ?? makeSheet();
    await htmx.ajax("GET", link.href, { target: "#sheet" });
    if (!dialog.childElementCount) return;
    openDialog(dialog);
    update();
    focusTitle();
  } catch (error) {
    notify((error instanceof Error && error.message) || UNSAVED, "trouble");
  } finally {
    link.removeAttribute("aria-busy");
  }
}

/** Wait until the text has the addresses of all its images. */
async function allUploads() {
  const isUploading = () => document.querySelector(".uploads progress");
  if (!isUploading()) return;
  notify("You can publish as soon as all images are uploaded.");
  await new Promise((resolve) => {
    const observer = new MutationObserver(async () => {
      await new Promise((next) => setTimeout(next)); // several images follow one another
      if (isUploading()) return;
      observer.disconnect();
      resolve(null);
    });
    observer.observe(document.body, { childList: true, subtree: true });
  });
}

/** @returns {HTMLDialogElement | null} */
const sheet = () => document.querySelector("dialog#sheet");

const focusTitle = () => document.getElementById("sheet-title")?.focus();

/**
 * @param {ParentNode} form
 * @returns {HTMLButtonElement | null}
 */
const publishButton = (form) => form.querySelector("[data-go]");

function makeSheet() {
  const dialog = document.createElement("dialog");
  dialog.id = "sheet";
  dialog.className = "sheet";
  dialog.setAttribute("aria-labelledby", "sheet-title");
  document.body.append(dialog);
  return dialog;
}

document.addEventListener(
  "close",
  ({ target }) => {
    if (target !== sheet()) return;
    const uploads = sheet()?.querySelector(".uploads");
    if (uploads) document.body.append(uploads);
    sheet()?.replaceChildren();
    sheet()?.removeAttribute("style");
  },
  true,
);

/**
 * Place the dialog so that its button lies under the pointer that opened it, as far as the window allows.
 * @param {HTMLDialogElement} dialog
 */
function place(dialog) {
  const button = publishButton(dialog);
  if (!button || !opener?.isConnected) return; // the status stays where the sheet was
  dialog.removeAttribute("style");
  const from = opener.getBoundingClientRect();
  const to = button.getBoundingClientRect();
  const box = dialog.getBoundingClientRect();
  if (!from.width || innerWidth < box.width + 64) return; // in a narrow window, its styles place it
  const x = from.left + from.width / 2 - (to.left + to.width / 2);
  const y = from.top + from.height / 2 - (to.top + to.height / 2);
  const within = (/** @type {number} */ at, /** @type {number} */ most) => Math.max(4, Math.min(at, most - 4));
  const left = within(box.left + x, innerWidth - box.width);
  const top = within(box.top + y, innerHeight - box.height);
  const maxHeight = `${innerHeight - top - 8}px`;
  Object.assign(dialog.style, { margin: "0", left: `${left}px`, top: `${top}px`, maxHeight });
}

/** Update the labels of the sheet. */
function updateLabels() {
  /** @type {NodeListOf<HTMLFormElement>} */
  const forms = document.querySelectorAll(FORM);
  for (const form of forms) {
    updateBoxes(form);
    updateButton(form);
    /** @type {NodeListOf<HTMLElement>} */
    const hints = form.querySelectorAll("[data-scripted]");
    for (const hint of hints) {
      hint.hidden = false;
      const key = hint.firstElementChild;
      if (key && navigator.platform.startsWith("Mac")) key.textContent = "⌘";
    }
  }
}

/** Update the labels and the position of the sheet. */
function update() {
  updateLabels();
  const dialog = sheet();
  if (dialog?.open) place(dialog);
}

/**
 * Update the button and the line beside it.
 * @param {HTMLFormElement} form
 */
function updateButton(form) {
  const button = publishButton(form);
  const line = form.querySelector("[data-summary]");
  if (!button || !line) return;
  /** @type {HTMLInputElement[]} */
  const boxes = Array.from(form.querySelectorAll("[name=platforms]:checked:not(:disabled)"));
  const selected = boxes.map(({ value, dataset }) => {
    return { name: value, label: dataset.label ?? value, does: dataset.does ?? "", waits: dataset.waits ?? "" };
  });
  const when = chosenTime(form);
  setText(button, buttonLabel(selected, when));
  setText(line, summary(selected, when, openQuestion(form)));
  button.disabled = !selected.length;
}

/**
 * Let a destination be selected only while its text is short enough, and select it again if it was before.
 * @param {HTMLFormElement} form
 */
function updateBoxes(form) {
  for (const field of form.querySelectorAll("textarea")) {
    const row = field.closest(".dest");
    /** @type {HTMLInputElement | null | undefined} */
    const box = row?.querySelector("[name=platforms]");
    /** @type {HTMLInputElement | null | undefined} */
    const wanted = row?.querySelector("[name=wanted]"); // it is sent, so that a response knows it, too
    if (!row || !box || !wanted) continue;
    const isWrong = row.querySelector("[data-wrong]") !== null;
    field.setAttribute("aria-invalid", String(isWrong));
    if (box.disabled === isWrong) continue;
    const isTicked = isWrong ? false : !wanted.disabled;
    wanted.disabled = !(isWrong && box.checked);
    box.disabled = isWrong;
    box.checked = isTicked;
    const told = form.querySelector("[data-told]");
    if (told) setText(told, document.getElementById(`${box.id}-line`)?.textContent ?? "");
  }
}

/**
 * Set a text only if it changes, because screen readers read the line again.
 * @param {Element} element
 * @param {string} text
 */
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** @param {HTMLFormElement} form */
function openQuestion(form) {
  /** @type {HTMLElement | null} */
  const question = form.querySelector("[data-question]");
  const isAsked = form.querySelector("[name=when][value=at]:checked") && !question?.querySelector(":checked");
  return isAsked ? question?.dataset.question : "";
}

/** @param {HTMLFormElement} form */
function chosenTime(form) {
  /** @type {HTMLInputElement | null} */
  const choice = form.querySelector("[name=when]:checked");
  const when = choice?.value ?? "now";
  if (when === "slot") return choice?.dataset.brief ?? "";
  return when === "at" ? shortTime(timeField(form).value, Date.now()) : when;
}

/**
 * @param {HTMLFormElement} form
 * @returns {HTMLInputElement}
 */
const timeField = (form) => /** @type {HTMLInputElement} */ (form.elements.namedItem("at"));

document.addEventListener("input", (event) => {
  /** @type {HTMLFormElement | null} */
  const form = closest(event, FORM);
  if (!form) return;
  if (event.target === timeField(form)) {
    /** @type {HTMLInputElement | null} */
    const choice = form.querySelector("[name=when][value=at]");
    if (choice) choice.checked = true;
    for (const old of form.querySelectorAll(".readings, #publish-at-fault")) old.remove();
    timeField(form).removeAttribute("aria-invalid");
    showZone(form);
  }
  updateButton(form);
});

// The editor copies images of other websites into its text. Without it, and for what it can't find, the server does.
document.addEventListener("click", async (event) => {
  const button = /** @type {HTMLButtonElement | null} */ (closest(event, "[data-copy-images]"));
  const form = button?.form;
  if (!button?.dataset.copyImages || !form) return;
  const isFirst = !button.ariaBusy;
  /** @type {CopyRequest} */
  const detail = { urls: JSON.parse(button.dataset.copyImages), done: null };
  if (isFirst) document.dispatchEvent(new CustomEvent("blogsvc:copy-images", { detail }));
  if (isFirst && !detail.done) return;
  event.preventDefault();
  if (!isFirst) return;
  button.ariaBusy = "true";
  await detail.done?.catch(() => {}); // the server says what could not be copied
  button.ariaBusy = null;
  if (!form.isConnected) return; // the user writes on
  button.dataset.copyImages = "";
  form.requestSubmit(button);
});

// Select the destinations of the last published post.
document.addEventListener("click", (event) => {
  const same = closest(event, "[data-same]");
  const form = same?.closest("form");
  if (!same || !form) return;
  event.preventDefault();
  const names = same.dataset.same?.split(" ");
  /** @type {NodeListOf<HTMLInputElement>} */
  const boxes = form.querySelectorAll("[name=platforms]:not(:disabled)");
  for (const box of boxes) box.checked = names?.includes(box.value) ?? false;
  /** @type {NodeListOf<HTMLInputElement>} */
  const wanted = form.querySelectorAll("[name=wanted]");
  for (const one of wanted) {
    /** @type {HTMLInputElement | null | undefined} */
    const box = one.closest(".dest")?.querySelector("[name=platforms]");
    one.disabled = !box?.disabled || !names?.includes(one.value);
  }
  updateButton(form);
});

// Count down the time to undo. The first response tells when it ends, and the next ones come while it runs.
/** @type {Map<string, number>} */
const ends = new Map();
setInterval(() => {
  /** @type {NodeListOf<HTMLElement>} */
  const shown = document.querySelectorAll("[data-until]");
  for (const left of shown) {
    const { until = "" } = left.dataset;
    const end = ends.get(until) ?? performance.now() + 1000 * Number(left.dataset.left);
    ends.set(until, end);
    const seconds = (end - performance.now()) / 1000;
    left.textContent = `${Math.max(0, Math.ceil(seconds))} s`;
    const status = left.closest("header")?.parentElement; // the rows count too, but one of them is enough
    if (seconds < -0.2 && status) htmx.trigger(status, "due");
  }
}, 250);

/** @param {HTMLFormElement} form */
function showZone(form) {
  /** @type {HTMLElement | null} */
  const note = form.querySelector("[data-zone]");
  const label = zoneLabel(note?.dataset.zone ?? "UTC", timeField(form).value);
  if (note && label) note.textContent = label;
}

// The response replaces the form, and the focus that was in it.
document.addEventListener("htmx:after:swap", ({ target }) => {
  if (target instanceof HTMLTextAreaElement) return updateLabels(); // the user is typing
  update();
  const dialog = sheet();
  if (!dialog?.open) return;
  if (dialog.contains(document.activeElement) && !dialog.querySelector("[autofocus]")) return;
  /** @type {HTMLElement | null} */
  const question = dialog.querySelector(".when [autofocus]");
  if (!question) return focusTitle();
  question.focus();
  question.closest(".when")?.scrollIntoView({ block: "nearest" });
});

addEventListener("resize", () => {
  sheet()?.removeAttribute("style");
  update();
});

update();
