// @ts-check
// The images that were not uploaded or copied, in one list. Each stays until it is, or is removed from the list, or the
// page is closed. Loaded with the first of them.
import { uploadsBox } from "./image-upload.js";

/** @type {FailedUpload[]} */
let failures = [];
const section = document.createElement("section");
section.className = "failed";
section.setAttribute("aria-label", "Failed images");

/**
 * Add an image to the list.
 * @param {FailedUpload} failure
 */
export function listFailure(failure) {
  failures.push(failure);
  show();
}

function show() {
  if (!failures.length) {
    section.remove();
    return;
  }
  const summary = section.querySelector("p") ?? makeElement("p", "", { role: "alert" });
  summary.textContent = summaryText();
  const list = document.createElement("ul");
  list.append(...failures.map(itemOf));
  const others = failures.filter(({ canRetry }) => canRetry);
  const all = makeButton("Retry all", "", () => retry(others));
  section.replaceChildren(summary, list, ...(others.length > 1 ? [all] : []));
  place();
}

/**
 * Remove an image from the list that was copied in the meantime.
 * @param {string} url
 */
export function forget(url) {
  failures = failures.filter((one) => one.url !== url);
  show();
}

function summaryText() {
  const count = failures.length;
  const copies = failures.filter(({ isInText }) => isInText).length;
  if (copies === count) return `${count === 1 ? "1 image" : `${count} images`} couldn't be copied.`;
  if (copies) return `${count} images weren't uploaded or copied.`;
  return count === 1 ? "1 image wasn't uploaded." : `${count} images weren't uploaded.`;
}

/** @param {FailedUpload} failure */
function itemOf(failure) {
  const item = document.createElement("li");
  const { name } = failure;
  item.append(makeElement("span", failure.reason));
  if (failure.canRetry) item.append(makeButton("Retry", name, () => retry([failure])));
  item.append(makeButton("Remove", name, () => drop([failure])));
  return item;
}

/**
 * Upload images again, one after the other. Those that fail again come back into the list.
 * @param {FailedUpload[]} chosen
 */
async function retry(chosen) {
  drop(chosen);
  for (const failure of chosen) await failure.retry();
}

/**
 * Remove images from the list. The focus goes to the next one, or back to where the images were added.
 * @param {FailedUpload[]} chosen
 */
function drop(chosen) {
  const index = failures.indexOf(chosen[0]);
  failures = failures.filter((one) => !chosen.includes(one));
  show();
  const items = section.querySelectorAll("li");
  const next = items[Math.min(index, items.length - 1)]?.querySelector("button");
  (section.isConnected && next ? next : chosen[0].home).focus();
}

/**
 * @param {string} text
 * @param {string} about The name of the file, for screen readers.
 * @param {() => void} onClick
 */
function makeButton(text, about, onClick) {
  const button = makeElement("button", text, { type: "button", class: "btn btn-small" });
  if (about) button.append(makeElement("span", ` ${about}`, { class: "sr" }));
  button.addEventListener("click", onClick);
  return button;
}

/**
 * @param {string} tag
 * @param {string} text
 * @param {Record<string, string>} [attributes]
 */
function makeElement(tag, text, attributes = {}) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.textContent = text;
  return element;
}

addEventListener("beforeunload", (event) => {
  if (failures.some(({ isInText }) => !isInText)) event.preventDefault();
});

/** Put the list into the dialog that is open, or else into the page. */
function place() {
  if (failures.length && section.parentElement !== uploadsBox()) uploadsBox().append(section);
}

document.addEventListener("close", place, { capture: true });
document.addEventListener("htmx:after:swap", place);
