// Tags that there are, offered while one is typed: a combobox with a list, as ARIA describes it. New ones stay welcome.
import { headers } from "./app.js";

const PAUSE = 150;

/** Offer tags below an input that holds several, with commas between. */
export function tags(input) {
  const box = document.createElement("div");
  const list = document.createElement("ul");
  box.className = "combo";
  list.id = `${input.id}-list`;
  list.hidden = true;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Tags that there are");
  input.replaceWith(box);
  box.append(input, list);
  for (const [name, value] of Object.entries({
    role: "combobox",
    "aria-autocomplete": "list",
    "aria-expanded": "false",
    "aria-controls": list.id,
  })) {
    input.setAttribute(name, value);
  }

  let timer = 0;
  let asked = 0;

  // The tag that the caret stands in: where it begins, where it ends.
  function part() {
    const from = input.value.lastIndexOf(",", input.selectionStart - 1) + 1;
    const to = input.value.indexOf(",", input.selectionStart);
    return [from, to < 0 ? input.value.length : to];
  }

  async function ask() {
    const number = ++asked;
    const [from, to] = part();
    const begun = input.value.slice(from, to).trim();
    if (!begun) return close();
    const answer = await fetch(`${input.dataset.tags}?${new URLSearchParams({ q: begun })}`, {
      headers: headers({ Accept: "application/json", "HX-Request": "true" }),
    }).catch(() => null);
    if (!answer?.ok || number !== asked) return undefined;
    const there = new Set(
      input.value
        .toLowerCase()
        .split(",")
        .map((tag) => tag.trim()),
    );
    const found = (await answer.json()).filter((tag) => !there.has(tag.name.toLowerCase()));
    return number === asked && document.activeElement === input ? offer(found) : undefined;
  }

  function offer(found) {
    list.replaceChildren(
      ...found.map((tag, index) => {
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
      }),
    );
    list.hidden = !found.length;
    input.setAttribute("aria-expanded", String(!list.hidden));
    input.removeAttribute("aria-activedescendant");
  }

  function close() {
    asked++;
    clearTimeout(timer);
    offer([]);
  }

  const chosen = () => list.querySelector("[aria-selected=true]");

  function choose(option) {
    chosen()?.setAttribute("aria-selected", "false");
    option?.setAttribute("aria-selected", "true");
    if (option) input.setAttribute("aria-activedescendant", option.id);
    else input.removeAttribute("aria-activedescendant");
    option?.scrollIntoView({ block: "nearest" });
  }

  // As if it were typed, so that it can be undone.
  function take(option) {
    const [from, to] = part();
    const name = option.dataset.name.includes(",") ? `"${option.dataset.name}"` : option.dataset.name;
    input.focus();
    input.setSelectionRange(from, to);
    const isLast = to === input.value.length;
    document.execCommand("insertText", false, (from ? " " : "") + name + (isLast ? ", " : ""));
    close();
  }

  input.addEventListener("input", (event) => {
    clearTimeout(timer);
    if (!event.isComposing) timer = setTimeout(ask, PAUSE);
  });
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const options = [...list.children];
    const at = options.indexOf(chosen());
    if (event.key === "ArrowDown" && list.hidden) ask();
    else if (event.key === "ArrowDown") choose(options[(at + 1) % options.length]);
    else if (event.key === "ArrowUp" && !list.hidden) choose(options.at(at < 0 ? -1 : at - 1));
    else if (event.key === "Enter" && chosen()) take(chosen());
    else if (event.key === "Escape" && !list.hidden) close();
    else return;
    event.preventDefault();
  });
  // Not `click`: the input would have lost the focus by then.
  list.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    const option = event.target.closest("[role=option]");
    if (option) take(option);
  });
}
