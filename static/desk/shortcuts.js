// @ts-check
// Shortcuts of one key, and of two keys in a row, which the command palette lists, and copy buttons. The editor loads
// this module with its tools, all other pages at once.
import { closest } from "./app.js";

/**
 * Return whether a key is typed into a field.
 * @param {Event} event
 */
export function isTyping(event) {
  return closest(event, "input, textarea, select, [contenteditable]") !== null;
}

/** Return whether single-key shortcuts are on. A user can turn them off in the profile (WCAG 2.1.4). */
export function hasShortcuts() {
  return "shortcuts" in document.body.dataset;
}

/** @type {Record<string, string>} */
const PAGES = { d: "/desk", c: "/desk/calendar", a: "/desk/analytics" };
let isAfterG = false;

document.addEventListener("keydown", async (event) => {
  const { key } = event;
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
  if (!hasShortcuts() || isTyping(event) || document.querySelector("dialog[open]")) return;
  if (isAfterG && PAGES[key]) location.href = PAGES[key];
  else if (key === "n")
    /** @type {HTMLFormElement | null} */ (document.querySelector("form[data-new]"))?.requestSubmit();
  else if (key === "/") /** @type {HTMLElement | null} */ (document.querySelector("input[type=search]"))?.focus();
  else if (key !== "g" && key !== "?") {
    isAfterG = false;
    return;
  }
  isAfterG = key === "g";
  event.preventDefault();
  if (key === "?") (await import("./command-palette.js")).showShortcuts();
});

document.addEventListener("click", (event) => {
  const button = closest(event, "[data-copy]");
  if (button) copy(button);
});

/** @param {HTMLElement} button */
async function copy(button) {
  await navigator.clipboard.writeText(button.dataset.copy ?? "");
  const label = button.querySelector("span") ?? button;
  const before = label.textContent;
  label.textContent = "Copied";
  setTimeout(() => {
    label.textContent = before;
  }, 1500);
}

// What another app has shared doesn't wait in this browser for the next user.
document.addEventListener("submit", (event) => {
  if (closest(event, "form[action='/logout']")) window.caches?.delete("shared-by-app");
});
