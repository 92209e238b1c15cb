// @ts-check
// The details of a post, in a dialog or on their own page: autosave, tag completion, a character count, and images.
import { closeDialog, closest, notify, openDialog, requestHeaders } from "./app.js";
import { acceptImages } from "./image-paste.js";
import { completeTags } from "./tag-completion.js";

const SAVE_DELAY = 800; // milliseconds after the last key
const RETRY_DELAY = 5000;

// Autosave. What can't be saved stays in the form, also while the dialog is closed.
let isDirty = false;
/** @type {number | undefined} */
let timer;
/** @type {Promise<boolean> | undefined} */
let saving;
/** @type {HTMLElement | null} The panel with the errors of the last attempt. */
let refused = null;

/** @param {HTMLElement | null} panel */
function enhance(panel) {
  if (!panel || "ready" in panel.dataset) return;
  panel.dataset.ready = "";
  // What was typed before this module was loaded.
  /** @type {HTMLInputElement[]} */
  const inputs = Array.from(panel.querySelectorAll("#details-form :is(input, textarea)"));
  if (inputs.some((one) => one.value !== one.defaultValue || one.checked !== one.defaultChecked)) {
    isDirty = true;
    if (panel.closest("dialog:not([open])")) saveClosed();
    else timer = setTimeout(save, SAVE_DELAY);
  }
  /** @type {NodeListOf<HTMLInputElement>} */
  const tagFields = panel.querySelectorAll("[data-tags]");
  for (const field of tagFields) completeTags(field);
  /** @type {NodeListOf<HTMLTextAreaElement>} */
  const texts = panel.querySelectorAll("textarea[data-images]");
  for (const text of texts) acceptImages(text);
  /** @type {NodeListOf<HTMLElement>} */
  const counters = panel.querySelectorAll("[data-counts]");
  for (const counter of counters) {
    const field = document.getElementById(counter.dataset.counts ?? "");
    if (field instanceof HTMLTextAreaElement) countCharacters(counter, field);
  }
}

/**
 * @param {HTMLElement} counter
 * @param {HTMLTextAreaElement} field
 */
function countCharacters(counter, field) {
  const show = () => {
    const length = [...field.value].length;
    counter.textContent = `${length} character${length === 1 ? "" : "s"}`;
    counter.classList.toggle("is-long", length > Number(field.dataset.counted));
  };
  field.addEventListener("input", show);
  show();
}

document.addEventListener("htmx:after:swap", () => {
  const panel = document.getElementById("details-panel");
  enhance(panel);
  const message = panel?.dataset.said;
  if (!message) return;
  isDirty = false;
  delete panel.dataset.said;
  const dialog = panel.closest("dialog");
  if (dialog) closeDialog(dialog);
  notify(message);
});

const details = () => /** @type {HTMLDialogElement | null} */ (document.querySelector("dialog#details"));
/** @returns {HTMLFormElement | null} */
const formOf = () => document.querySelector("#details-form");

for (const kind of ["input", "change"]) {
  document.addEventListener(kind, (event) => {
    if (!closest(event, "#details-form")) return;
    isDirty = true;
    clearTimeout(timer);
    timer = setTimeout(save, kind === "input" ? SAVE_DELAY : 0);
  });
}

/** Save what was changed. Return whether the server has it. */
async function save() {
  clearTimeout(timer);
  while (saving) await saving;
  const form = formOf();
  if (!isDirty || !form) return true;
  saving = send(form).finally(() => {
    saving = undefined;
  });
  return saving;
}

/**
 * @param {HTMLFormElement} form
 * @param {boolean} [keepalive]
 */
async function send(form, keepalive) {
  isDirty = false;
  const headers = requestHeaders({ "HX-Request": "true", "HX-Request-Type": "partial" });
  const body = new FormData(form);
  const request = { method: "POST", headers, body, keepalive };
  const response = await fetch(form.action, request).catch(() => null);
  const page = new DOMParser().parseFromString((await response?.text().catch(() => "")) ?? "", "text/html");
  const panel = page.getElementById("details-panel");
  const status = /** @type {HTMLElement} */ (form.querySelector(".foot [role=status]"));
  if (response?.ok && panel) {
    refused = null;
    status.textContent = panel.dataset.said ?? "Saved.";
    const rev = /** @type {HTMLInputElement} */ (form.elements.namedItem("rev"));
    rev.value = /** @type {HTMLInputElement} */ (panel.querySelector("[name=rev]")).value;
    const part = /** @type {HTMLElement} */ (form.querySelector("#same-part"));
    part.replaceChildren(...(panel.querySelector("#same-part")?.childNodes ?? []));
    form.querySelector(".card")?.replaceWith(.../** @type {Iterable<Node>} */ (panel.querySelectorAll(".card")));
    const cover = form.querySelector(".cover");
    const newCover = panel.querySelector(".cover");
    /** @type {NodeListOf<HTMLInputElement>} */
    const fields = form.querySelectorAll("[name=cover_file], [name=no_cover]:checked");
    if (cover && newCover && [...fields].some(({ files, checked }) => files?.length || checked)) {
      const focused = cover.contains(document.activeElement) ? document.activeElement : null;
      keepTyped(cover, newCover, body);
      cover.replaceWith(newCover);
      htmx.process(newCover);
      if (focused?.id) document.getElementById(focused.id)?.focus();
    }
    htmx.trigger(document.body, "details-saved");
    return true;
  }
  isDirty = true;
  refused = panel;
  status.textContent = `Not saved. ${reason()}`;
  if (!panel) timer = setTimeout(save, RETRY_DELAY);
  return false;
}

/**
 * Keep what was typed into fields after they were sent.
 * @param {Element} part
 * @param {Element} newPart
 * @param {FormData} sent
 */
function keepTyped(part, newPart, sent) {
  /** @type {NodeListOf<HTMLInputElement>} */
  const fields = part.querySelectorAll("textarea, input:not([type=file], [type=checkbox])");
  for (const { name, value } of fields) {
    /** @type {HTMLInputElement | null} */
    const field = newPart.querySelector(`[name="${name}"]`);
    if (field && value !== sent.get(name)) field.value = value;
  }
}

/** Return why the details were not saved. */
function reason() {
  const fault = refused?.querySelector(".err[id], [role=alert] p")?.textContent;
  return fault ?? "The server can't be reached, or your session has ended.";
}

/** Save after the dialog is closed, and tell if that fails. */
async function saveClosed() {
  if ((await save()) || details()?.open) return;
  notify(`The details aren't saved. ${reason()} Your changes are kept: open Details again.`, "trouble");
}
document.addEventListener("close", ({ target }) => target === details() && saveClosed(), true);

// Details that are not saved are opened again as they were, with their errors.
document.addEventListener(
  "click",
  (event) => {
    const dialog = details();
    if (!dialog || !(isDirty || saving) || !closest(event, 'a[hx-target="#details"]')) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (refused) {
      dialog.replaceChildren(refused);
      htmx.process(refused);
      enhance(refused);
    }
    openDialog(dialog);
    /** @type {HTMLElement | null} */ (dialog.querySelector("[aria-invalid=true]"))?.focus();
  },
  true,
);

// A save that is on its way ends before the button's.
document.addEventListener(
  "submit",
  async (event) => {
    if (event.target !== formOf()) return;
    clearTimeout(timer);
    if (!saving) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    await saving;
    formOf()?.requestSubmit();
  },
  true,
);

document.addEventListener("blogsvc:save", ({ detail }) => detail.waitFor.push(save()));
addEventListener("online", () => save());
addEventListener("pagehide", () => {
  const form = formOf();
  if (isDirty && form) send(form, true);
});
addEventListener("beforeunload", (event) => {
  if (isDirty && refused) event.preventDefault();
});

enhance(document.getElementById("details-panel"));
