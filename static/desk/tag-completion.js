// @ts-check
// Offer existing tags while a user types one: a combobox with a list, as ARIA defines it. New tags stay possible.
import { closest, requestHeaders } from "./app.js";

const DELAY = 150; // milliseconds after the last key

/**
 * Return where the tag around the caret begins and ends in a list with commas.
 * @param {string} value
 * @param {number} caret
 * @returns {[start: number, end: number]}
 */
export function tagAt(value, caret) {
  const start = value.slice(0, caret).lastIndexOf(",") + 1;
  const end = value.indexOf(",", caret);
  return [start, end < 0 ? value.length : end];
}

/**
 * Return the text that puts a tag in place of the part from `start` to `end`.
 * @param {string} value
 * @param {number} start
 * @param {number} end
 * @param {string} name
 */
export function completedTag(value, start, end, name) {
  const quoted = name.includes(",") ? `"${name}"` : name;
  return (start ? " " : "") + quoted + (end === value.length ? ", " : "");
}

/**
 * Offer tags below a field that holds several, with commas between them.
 * @param {HTMLInputElement} input
 */
export function completeTags(input) {
  const box = document.createElement("div");
  const list = document.createElement("ul");
  box.className = "combo";
  list.id = `${input.id}-list`;
  list.hidden = true;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Existing tags");
  input.replaceWith(box);
  box.append(input, list);
  input.setAttribute("role", "combobox");
  input.setAttribute("aria-autocomplete", "list");
  input.setAttribute("aria-expanded", "false");
  input.setAttribute("aria-controls", list.id);

  /** @type {number | undefined} */
  let timer;
  let requests = 0;

  const currentTag = () => tagAt(input.value, input.selectionStart ?? 0);

  async function search() {
    const request = ++requests;
    const typed = input.value.slice(...currentTag()).trim();
    if (!typed) {
      close();
      return;
    }
    const response = await fetch(`${input.dataset.tags}?${new URLSearchParams({ q: typed })}`, {
      headers: requestHeaders({ Accept: "application/json", "HX-Request": "true" }),
    }).catch(() => null);
    if (!response?.ok || request !== requests) return;
    /** @type {Tag[]} */
    const tags = await response.json();
    if (request !== requests || document.activeElement !== input) return;
    const used = new Set(
      input.value
        .toLowerCase()
        .split(",")
        .map((tag) => tag.trim()),
    );
    offer(tags.filter((tag) => !used.has(tag.name.toLowerCase())));
  }

  /** @param {Tag[]} tags */
  function offer(tags) {
    list.replaceChildren(...tags.map(optionOf));
    list.hidden = !tags.length;
    input.setAttribute("aria-expanded", String(!list.hidden));
    input.removeAttribute("aria-activedescendant");
  }

  /**
   * @param {Tag} tag
   * @param {number} index
   */
  function optionOf(tag, index) {
    const option = document.createElement("li");
    const count = document.createElement("span");
    option.id = `${list.id}-${index}`;
    option.setAttribute("role", "option");
    option.setAttribute("aria-selected", "false");
    option.dataset.name = tag.name;
    option.append(tag.name, count);
    count.className = "note num";
    count.textContent = tag.count === 1 ? "1 post" : `${tag.count} posts`;
    return option;
  }

  function close() {
    requests++;
    clearTimeout(timer);
    offer([]);
  }

  /** @returns {HTMLElement | null} */
  const selected = () => list.querySelector("[aria-selected=true]");

  /** @param {HTMLElement | undefined} option */
  function select(option) {
    selected()?.setAttribute("aria-selected", "false");
    option?.setAttribute("aria-selected", "true");
    if (option) input.setAttribute("aria-activedescendant", option.id);
    else input.removeAttribute("aria-activedescendant");
    option?.scrollIntoView({ block: "nearest" });
  }

  /**
   * Insert the tag as if it were typed, so that the browser's undo works.
   * @param {HTMLElement} option
   */
  function insert(option) {
    const [start, end] = currentTag();
    const text = completedTag(input.value, start, end, option.dataset.name ?? "");
    input.focus();
    input.setSelectionRange(start, end);
    document.execCommand("insertText", false, text);
    close();
  }

  input.addEventListener("input", (event) => {
    clearTimeout(timer);
    if (!(/** @type {InputEvent} */ (event).isComposing)) timer = setTimeout(search, DELAY);
  });
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const options = /** @type {HTMLElement[]} */ ([...list.children]);
    const option = selected();
    const index = option ? options.indexOf(option) : -1;
    if (event.key === "ArrowDown" && list.hidden) search();
    else if (event.key === "ArrowDown") select(options[(index + 1) % options.length]);
    else if (event.key === "ArrowUp" && !list.hidden) select(options.at(index < 0 ? -1 : index - 1));
    else if (event.key === "Enter" && option) insert(option);
    else if (event.key === "Escape" && !list.hidden) close();
    else return;
    event.preventDefault();
  });
  // Not on click, because the field would lose the focus before that.
  list.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    const option = closest(event, "[role=option]");
    if (option) insert(option);
  });
}
