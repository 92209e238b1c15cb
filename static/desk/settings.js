// @ts-check
// Forms that connect a destination: reveal secrets, and show that the server is working.
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

document.addEventListener("submit", ({ target }) => {
  /** @type {HTMLElement | null} */
  const button = /** @type {HTMLFormElement} */ (target).querySelector("[data-busy]");
  if (!button) return;
  // The button stays enabled, so that the form can be sent again if no response comes.
  button.setAttribute("aria-busy", "true");
  setLabel(button, button.dataset.busy ?? "");
});

/**
 * @param {HTMLElement} button
 * @param {string} text
 */
function setLabel(button, text) {
  const label = button.querySelector("span");
  if (label) label.textContent = text;
}
