// @ts-check
// Shortcuts of one key, and of two keys in a row, which the command palette lists; copy buttons, and the question
// before a form is sent. The editor loads this module with its tools, all other pages at once.
import { closest, notify, requestHeaders } from "./app.js";

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
  else if (key === "n") {
    if (!event.repeat) newPost();
  } else if (key === "/") /** @type {HTMLElement | null} */ (document.querySelector("input[type=search]"))?.focus();
  else if (key !== "g" && key !== "?") {
    isAfterG = false;
    return;
  }
  isAfterG = key === "g";
  event.preventDefault();
  if (key === "?") (await import("./command-palette.js")).showShortcuts();
});

/** Create a draft and open it, also on a page without the button. */
function newPost() {
  /** @type {HTMLFormElement | null} */
  const form = document.querySelector("form[data-new]");
  if (form) return form.requestSubmit();
  const made = Object.assign(document.createElement("form"), { method: "post", action: "/desk/posts", hidden: true });
  const token = Object.assign(document.createElement("input"), {
    name: "csrf_token",
    value: requestHeaders()["X-CSRFToken"],
  });
  made.append(token);
  document.body.append(made);
  made.submit();
}

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

// A form with a question is sent when the user has confirmed it.
/** @type {HTMLFormElement | null} */
let confirmed = null;
let isAsking = false;
document.addEventListener(
  "submit",
  async (event) => {
    const form = /** @type {HTMLFormElement} */ (event.target);
    const { submitter } = event;
    if (!form.dataset.confirm || !submitter || confirmed === form) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (isAsking) return; // pressed twice
    isAsking = true;
    const isConfirmed = await import("./question.js")
      .then(({ ask }) => ask(form.dataset.confirm ?? "", submitter))
      .catch(() => notify("The connection failed. Try again in a moment.", "trouble"))
      .finally(() => {
        isAsking = false;
      });
    if (!isConfirmed) return;
    // The form may have been replaced meanwhile, because a list that shows progress is loaded again.
    const button = submitter.isConnected ? submitter : document.getElementById(submitter.id);
    confirmed = button?.closest("form") ?? null;
    if (confirmed) confirmed.requestSubmit(button);
    else notify("This has changed in the meantime. Check it and try again.", "trouble");
    confirmed = null;
  },
  true,
);
