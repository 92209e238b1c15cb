// @ts-check
// Runs on every page: dialogs, notices and the command palette. Every action also works without scripts. Other scripts
// import it by the same URL as the pages, so that the browser loads one instance.

export const IMAGE_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp", "image/avif"];

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
  const button = document.createElement("button");
  button.className = "btn btn-small push";
  button.textContent = "Close";
  button.dataset.dismiss = "";
  notice.append(" ", button);
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

// Esc closes a dialog, and so does a click that begins outside: one that begins inside may select text.
let isOutside = false;
document.addEventListener("pointerdown", ({ target, clientX: x, clientY: y }) => {
  const box = target instanceof HTMLDialogElement && target.getBoundingClientRect();
  isOutside = box && (x < box.left || x > box.right || y < box.top || y > box.bottom);
});
document.addEventListener("click", (event) => {
  if (closest(event, "[data-dismiss]")) dismiss();
  const dialog = closest(event, isOutside ? "dialog" : "[data-close]")?.closest("dialog");
  if (!dialog) return;
  event.preventDefault();
  closeDialog(dialog);
});
document.addEventListener("keydown", (event) => {
  /** @type {HTMLDialogElement | null} */
  const dialog = document.querySelector("dialog[open]");
  if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return;
  if (!dialog) return dismiss();
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
    if (target !== closed) returnToText(); // by the Back button of a phone
    closed = null;
  },
  true,
);

function dismiss() {
  const hadFocus = byId("notices").contains(document.activeElement);
  byId("notices").replaceChildren();
  if (hadFocus) returnToText();
}

/** Return to the text after a dialog. Browsers restore the focus, but leave the selection in the dialog. */
function returnToText() {
  const focused = /** @type {HTMLElement} */ (document.activeElement);
  const field = focused.matches(":is(input, textarea):not(dialog *)") ? focused : written;
  if (!field) return;
  focused.blur();
  field.focus({ preventScroll: true });
}

// Ctrl+/ opens the command palette, and so does Ctrl+K, except in the text.
document.addEventListener("keydown", async (event) => {
  const { key } = event;
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.defaultPrevented) return;
  if (key !== "/" && (key !== "k" || closest(event, "#content"))) return;
  event.preventDefault();
  (await import("./command-palette.js")).toggle();
});
