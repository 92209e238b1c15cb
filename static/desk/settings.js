// @ts-check
// Forms that connect a destination: reveal secrets, show that the server is working, and count the selected posts.
import { closest } from "./app.js";

document.addEventListener("click", (event) => {
  const button = closest(event, "[data-reveal]");
  const input = document.getElementById(button?.dataset.reveal ?? "");
  if (!button || !(input instanceof HTMLInputElement)) return;
  const isRevealed = input.type === "password";
  input.type = isRevealed ? "text" : "password";
  button.setAttribute("aria-pressed", String(isRevealed));
  setLabel(button, isRevealed ? "Hide" : "Show");
});

// A form with one tick is saved at once.
document.addEventListener("change", (event) => {
  const form = closest(event, "[data-saves]");
  if (form instanceof HTMLFormElement) form.requestSubmit();
});

document.addEventListener("submit", ({ target, submitter }) => {
  /** @type {HTMLElement | null} */
  const usual = /** @type {HTMLFormElement} */ (target).querySelector(".page-go [data-busy]");
  const button = submitter?.dataset.busy ? submitter : usual;
  if (!button) return;
  // The button stays enabled, so that the form can be sent again if no response comes.
  button.setAttribute("aria-busy", "true");
  setLabel(button, button.dataset.busy ?? "");
});

/** Let the buttons about selected posts count them. Without JavaScript, they have a label without a number. */
function countSelected() {
  /** @type {NodeListOf<HTMLButtonElement>} */
  const buttons = document.querySelectorAll("[data-counts]");
  for (const button of buttons) {
    const count = button.form?.querySelectorAll(`[name="${button.dataset.counts}"]:checked`).length ?? 0;
    const posts = count === 1 ? "1 post" : `${count || "selected"} posts`;
    button.textContent = `Publish ${posts} ${button.dataset.noun}`;
    button.disabled = !count;
  }
}
document.addEventListener("input", countSelected);
addEventListener("pageshow", countSelected); // the browser may have restored the selection
countSelected();

/**
 * @param {HTMLElement} button
 * @param {string} text
 */
function setLabel(button, text) {
  const label = button.querySelector("span");
  if (label) label.textContent = text;
}
