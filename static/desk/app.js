// @ts-check
// Runs on every page of the interface: dialogs, copy buttons and the command palette. Every action also works without
// scripts. Other scripts import the helpers below by the same URL as the pages, so that the browser loads one instance.

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
    closeDialog(dialog);
  }
  const button = closest(event, "[data-copy]");
  if (button) copy(button);
});

// What another app has shared doesn't wait in this browser for the next user.
document.addEventListener("submit", (event) => {
  if (closest(event, "form[action='/logout']")) window.caches?.delete("shared-by-app");
});

// Esc closes a dialog, and so does a click outside. One that begins inside doesn't: it may select text.
let isOutside = false;
document.addEventListener("pointerdown", ({ target, clientX: x, clientY: y }) => {
  const box = target instanceof HTMLDialogElement && target.getBoundingClientRect();
  isOutside = box && (x < box.left || x > box.right || y < box.top || y > box.bottom);
});
document.addEventListener("click", ({ target }) => {
  if (isOutside && target instanceof HTMLDialogElement) closeDialog(target);
});
document.addEventListener("keydown", (event) => {
  /** @type {HTMLDialogElement | null} */
  const dialog = document.querySelector("dialog[open]");
  if (event.key !== "Escape" || !dialog || event.defaultPrevented || event.isComposing) return;
  event.preventDefault();
  closeDialog(dialog);
});

/** @type {HTMLElement | null} */
let written = null;
document.addEventListener("focusin", (event) => {
  written = closest(event, "#draft textarea") ?? written;
});

/** @type {EventTarget | null} */
let closed = null;

/**
 * Close a dialog. Its close event would come too late for the next key.
 * @param {HTMLDialogElement} dialog
 */
export function closeDialog(dialog) {
  dialog.close();
  closed = dialog;
  returnToText();
}
document.addEventListener(
  "close",
  ({ target }) => {
    if (target !== closed) returnToText(); // closed by the Back button of a phone
    closed = null;
  },
  true,
);

/** Return to the text after a dialog. Browsers restore the focus, but leave the selection in the dialog. */
function returnToText() {
  const focused = /** @type {HTMLElement} */ (document.activeElement);
  const field = focused.matches(":is(input, textarea):not(dialog *)") ? focused : written;
  if (!field) return;
  focused.blur();
  field.focus({ preventScroll: true });
}

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
