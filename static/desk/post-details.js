// @ts-check
// The details of a post, in a dialog or on their own page: tag completion, a character count, images in texts.
import { closeDialog, notify } from "./app.js";
import { acceptImages } from "./image-paste.js";
import { completeTags } from "./tag-completion.js";

/** @param {HTMLElement | null} panel */
function enhance(panel) {
  if (!panel || "ready" in panel.dataset) return;
  panel.dataset.ready = "";
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

enhance(document.getElementById("details-panel"));

document.addEventListener("htmx:after:swap", () => {
  const panel = document.getElementById("details-panel");
  enhance(panel);
  const message = panel?.dataset.said;
  if (!message) return;
  delete panel.dataset.said;
  const dialog = panel.closest("dialog");
  if (dialog) closeDialog(dialog);
  notify(message);
});
