// @ts-check
// Runs on every page of the interface: dialogs, copy buttons, the command palette and keyboard shortcuts. Every action
// also works without scripts. Other scripts import the helpers below by the same URL as the pages, so that the browser
// loads one instance of this module.

/**
 * Return the headers of a request to this server, with the CSRF token that the page holds for htmx.
 * @param {Record<string, string>} [extra]
 * @returns {Record<string, string>}
 */
export function requestHeaders(extra) {
  return { ...JSON.parse(document.body.getAttribute("hx-headers:inherited") ?? "{}"), ...extra };
}

/**
 * Return the element with an id that the page must have.
 * @param {string} id
 */
export function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/**
 * Return the closest ancestor of an event's target that matches a selector.
 * @type {Closest}
 */
export const closest = ({ target }, selector) => (target instanceof Element ? target.closest(selector) : null);

/**
 * Show a notice, which screen readers announce.
 * @param {string} text
 * @param {"done" | "trouble"} [kind]
 */
export function notify(text, kind = "done") {
  const notice = document.createElement("p");
  notice.className = `notice ${kind}`;
  notice.textContent = text;
  byId("notices").replaceChildren(notice);
}

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

/**
 * Open a dialog unless it is open. The browser restores the focus when the dialog closes.
 * @param {HTMLDialogElement} dialog
 */
export function openDialog(dialog) {
  if (!dialog.open) dialog.showModal();
}

// A dialog opens when htmx loads a fragment into it.
document.addEventListener("htmx:after:settle", ({ target }) => {
  if (target instanceof HTMLDialogElement && target.childElementCount) openDialog(target);
});

document.addEventListener("click", (event) => {
  const dialog = closest(event, "[data-close]")?.closest("dialog");
  if (dialog) {
    event.preventDefault();
    dialog.close();
  }
  const button = closest(event, "[data-copy]");
  if (button) copy(button);
});

// What another app has shared doesn't wait in this browser for the next user.
document.addEventListener("submit", (event) => {
  if (closest(event, "form[action='/logout']")) window.caches?.delete("shared-by-app");
});

// A click outside a dialog closes it, as Esc does.
document.addEventListener("pointerdown", ({ target, clientX, clientY }) => {
  if (!(target instanceof HTMLDialogElement) || !target.open) return;
  const box = target.getBoundingClientRect();
  const isInside = clientX >= box.left && clientX <= box.right && clientY >= box.top && clientY <= box.bottom;
  if (!isInside) target.close();
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

// Ctrl+/ opens the command palette, and so does Ctrl+K, which makes a link in the text.
document.addEventListener("keydown", async (event) => {
  const { key } = event;
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.defaultPrevented) return;
  if (key !== "/" && (key !== "k" || closest(event, "#content"))) return;
  event.preventDefault();
  (await import("./command-palette.js")).toggle();
});

// Shortcuts of one key, and of two keys in a row. The command palette lists them.
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
