// @ts-check
// The lists of posts on the dashboard and in the trash: select all, count the selected posts, move by keys.
import { closest } from "./app.js";
import { hasShortcuts, isTyping } from "./shortcuts.js";

/** @returns {HTMLInputElement[]} */
const checkboxes = () => Array.from(document.querySelectorAll("#posts .mark input"));
/** @returns {HTMLElement[]} */
const links = () => Array.from(document.querySelectorAll("#posts .name a"));

/**
 * @param {HTMLElement} link
 * @returns {HTMLInputElement | null | undefined}
 */
const checkboxOf = (link) => link.closest("li")?.querySelector(".mark input");

function showCount() {
  /** @type {HTMLElement | null} */
  const label = document.querySelector("[data-all]");
  if (!label) return;
  const all = checkboxes();
  const selected = all.filter((box) => box.checked).length;
  const selectAll = /** @type {HTMLInputElement} */ (label.firstElementChild);
  label.hidden = false;
  selectAll.checked = selected === all.length;
  selectAll.indeterminate = selected > 0 && selected < all.length;
  const count = /** @type {HTMLElement} */ (document.querySelector("[data-count]"));
  count.textContent = `${selected} selected`;
}

document.addEventListener("change", (event) => {
  const selectAll = closest(event, "[data-all] input");
  if (selectAll instanceof HTMLInputElement) for (const box of checkboxes()) box.checked = selectAll.checked;
  if (closest(event, "#posts")) showCount();
});
document.addEventListener("htmx:after:swap", showCount);
addEventListener("pageshow", showCount);

/**
 * Close the open menus but one.
 * @param {Element | null} [kept]
 */
function closeMenus(kept) {
  /** @type {NodeListOf<HTMLDetailsElement>} */
  const menus = document.querySelectorAll("details.more[open]");
  for (const menu of menus) if (menu !== kept) menu.open = false;
}
document.addEventListener("click", (event) => closeMenus(closest(event, "details.more")));

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    const menu = closest(event, "details.more[open]");
    closeMenus();
    menu?.querySelector("summary")?.focus();
  }
  if (event.altKey || event.ctrlKey || event.metaKey || !hasShortcuts() || isTyping(event)) return;
  const all = links();
  const index = all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  if (event.key === "j") (all[index + 1] ?? all[0])?.focus();
  else if (event.key === "k") (all[index - 1] ?? all.at(-1))?.focus();
  else if (event.key === "x" && index >= 0) checkboxOf(all[index])?.click();
  else return;
  event.preventDefault();
});

// Nothing that one sees first waits for this.
if (document.querySelector("#posts")) setTimeout(() => import("./unsaved-drafts.js").catch(() => {}), 500);

// Where this can be installed as an app, it receives what other apps share.
navigator.serviceWorker?.register("/desk/share-worker.js", { scope: "/desk/shared-by-app" }).catch(() => {});
