// On the desk and in the trash: choose all, count what is chosen, go from line to line by keys. Forms do the rest.
import { hasShortcuts, isTyping } from "./app.js";

const boxes = () => [...document.querySelectorAll("#posts .mark input")];
const links = () => [...document.querySelectorAll("#posts .name a")];

function count() {
  const all = document.querySelector("[data-all]");
  if (!all) return;
  const every = boxes();
  const chosen = every.filter((box) => box.checked).length;
  all.hidden = false;
  all.firstElementChild.checked = chosen === every.length;
  all.firstElementChild.indeterminate = chosen > 0 && chosen < every.length;
  document.querySelector("[data-count]").textContent = `${chosen} chosen`;
}

document.addEventListener("change", (event) => {
  if (event.target.closest("[data-all]")) for (const box of boxes()) box.checked = event.target.checked;
  if (event.target.closest("#posts")) count();
});
document.addEventListener("htmx:after:swap", count);
addEventListener("pageshow", count);

// A menu closes when something else is asked for.
function closeMenus(but) {
  for (const menu of document.querySelectorAll("details.more[open]")) if (menu !== but) menu.open = false;
}
document.addEventListener("click", (event) => closeMenus(event.target.closest("details.more")));

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    const menu = event.target.closest("details.more[open]");
    closeMenus();
    menu?.querySelector("summary").focus();
  }
  if (event.altKey || event.ctrlKey || event.metaKey || !hasShortcuts() || isTyping(event)) return;
  const all = links();
  const at = all.indexOf(document.activeElement);
  if (event.key === "j") (all[at + 1] ?? all[0])?.focus();
  else if (event.key === "k") (all[at - 1] ?? all.at(-1))?.focus();
  else if (event.key === "x" && at >= 0) all[at].closest("li").querySelector(".mark input").click();
  else return;
  event.preventDefault();
});
