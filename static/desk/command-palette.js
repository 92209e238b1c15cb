// @ts-check
// Keys in the command palette.

/**
 * Move the focus through the search field and the results.
 * @param {Element} palette
 * @param {1 | -1} step
 */
export function moveFocus(palette, step) {
  /** @type {HTMLElement[]} */
  const stops = Array.from(palette.querySelectorAll("input[type=search], a"));
  const now = stops.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  stops.at((now + step) % stops.length)?.focus();
}

/**
 * Open the first result for the text in the search field. If the search is still running, wait for it.
 * @param {HTMLInputElement} field
 */
export function openFirstResult(field) {
  /** @type {HTMLElement | null | undefined} */
  const results = field.form?.querySelector("#found");
  if (results?.dataset.for === field.value.trim().slice(0, 100)) results.querySelector("a")?.click();
  else field.addEventListener("htmx:after:swap", () => openFirstResult(field), { once: true });
}
