// @ts-check
// Drag posts to other days of the calendar, or to other positions in the queue. A form can do the same.
import { byId, closest, notify } from "./app.js";

/** @type {HTMLElement | null} */
let dragged = null;
/** @type {HTMLElement | null} */
let target = null;

/**
 * Return the element under the pointer that accepts the dragged post, or null if the post is already in it.
 * @param {Event} event
 */
function dropTarget(event) {
  const element = dragged && closest(event, "[data-on]");
  return element?.contains(dragged) ? null : element;
}

/** @param {HTMLElement | null} element */
function mark(element) {
  if (target === element) return;
  target?.classList.remove("over");
  element?.classList.add("over");
  target = element;
}

document.addEventListener("dragstart", (event) => {
  dragged = closest(event, "[data-drop]");
  if (!dragged || !event.dataTransfer) return;
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", dragged.querySelector(".title")?.textContent ?? "");
  dragged.classList.add("carried");
});

document.addEventListener("dragover", (event) => {
  const element = dropTarget(event);
  mark(element);
  if (element) event.preventDefault();
});

document.addEventListener("drop", (event) => {
  const element = dropTarget(event);
  if (!element || !dragged) return;
  event.preventDefault();
  move(dragged, element);
});

document.addEventListener("dragend", () => {
  dragged?.classList.remove("carried");
  mark(null);
  dragged = null;
});

/**
 * Show the post at its new position, and ask the server to move it. The response replaces this part of the page.
 * @param {HTMLElement} post
 * @param {HTMLElement} element
 */
function move(post, element) {
  const part = /** @type {HTMLElement} */ (element.closest("[data-carry]"));
  const [parent, next] = [post.parentElement, post.nextElementSibling];
  const list = element.matches("ul") ? element : element.querySelector("ul");
  if (list) list.append(post);
  else element.before(post);
  post.setAttribute("aria-busy", "true");
  const putBack = () => {
    parent?.insertBefore(post, next);
    post.removeAttribute("aria-busy");
    notify("The post wasn't moved, because the server didn't respond. Try again in a moment.", "trouble");
  };
  part.addEventListener("htmx:error", putBack, { once: true });
  const values = Object.fromEntries([
    ...new URLSearchParams(element.dataset.on),
    ...new URLSearchParams(part.dataset.carry),
  ]);
  htmx.ajax("POST", post.dataset.drop ?? "", { source: part, target: part, swap: "outerHTML", values });
}

// A click on the empty part of a day starts a post there, as its button does.
document.addEventListener("click", (event) => {
  if (closest(event, "a, button, .chip, .open")) return;
  /** @type {HTMLElement | null | undefined} */
  const add = closest(event, ".grid .day")?.querySelector(".add");
  add?.click();
});

// An empty response closes the dialog; the focus goes to the post that was moved.
document.addEventListener("htmx:after:swap", () => {
  const dialog = /** @type {HTMLDialogElement} */ (byId("sheet"));
  if (dialog.childElementCount) return;
  dialog.close();
  /** @type {HTMLElement | null} */
  const moved = document.querySelector("[data-carry] [autofocus]");
  moved?.focus();
});

document.getElementById("sheet")?.addEventListener("close", ({ currentTarget }) => {
  /** @type {HTMLDialogElement} */ (currentTarget).replaceChildren();
});
