// @ts-check
// The command palette and the list of shortcuts. The server finds the commands; this module moves the focus through
// them and carries them out on the open page. Loaded at the first use.
import { byId, closeDialog, closest, notify, requestHeaders } from "./app.js";

const palette = /** @type {HTMLDialogElement} */ (byId("palette"));

// The editor loads its tools at the first interaction with the text. Commands need them, too.
document.getElementById("write")?.dispatchEvent(new Event("pointerover"));

const opener = () => /** @type {HTMLElement} */ (document.querySelector("[data-palette]"));

/** Open the palette, or close it. */
export function toggle() {
  if (palette.open) closeDialog(palette);
  else opener().click();
}

export function showShortcuts() {
  htmx.ajax("GET", "/desk/commands?show=keys", { target: "#palette", source: opener() });
}

// A palette opened from the menu can't give the focus back to the menu, which is closed by then.
palette.addEventListener("close", () => {
  const menu = /** @type {HTMLElement | null} */ (document.querySelector("[popovertarget=user]"));
  if (document.activeElement === document.body) menu?.focus();
});

document.addEventListener("keydown", (event) => {
  const list = closest(event, ".palette");
  const field = /** @type {HTMLInputElement | null} */ (list?.querySelector("input[type=search]"));
  if (!list || !field || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  const { key, target } = event;
  if (key === "ArrowDown" || key === "ArrowUp") moveFocus(list, key === "ArrowDown" ? 1 : -1);
  else if (key === "Enter" && target === field) carryOutFirst(field);
  else {
    // Typing goes on in the field. A space presses a button.
    if (target !== field && (key === "Backspace" || (key.length === 1 && key !== " "))) field.focus();
    return;
  }
  event.preventDefault();
});

/**
 * Move the focus through the search field and the results.
 * @param {Element} list
 * @param {1 | -1} step
 */
function moveFocus(list, step) {
  /** @type {HTMLElement[]} */
  const stops = Array.from(list.querySelectorAll("input[type=search], [data-command]"));
  const now = stops.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  stops.at((now + step) % stops.length)?.focus();
}

/**
 * Carry out the first result for the text in the search field. If the search is still running, wait for it.
 * @param {HTMLInputElement} field
 */
function carryOutFirst(field) {
  const results = byId("found");
  const isCurrent = results.dataset.for === field.value.trim().slice(0, 100);
  if (isCurrent) /** @type {HTMLElement | null} */ (results.querySelector("[data-command]"))?.click();
  else field.addEventListener("htmx:after:swap", () => carryOutFirst(field), { once: true });
}

// On the window, because the page's own listeners must get the focus and the selection as they were before.
addEventListener(
  "click",
  async (event) => {
    const command = closest(event, "[data-command]");
    if (!command || !palette.contains(command)) return;
    if (event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    // The shortcuts replace the list; everything else closes it.
    const isList = command instanceof HTMLAnchorElement && command.pathname === "/desk/commands";
    if (!isList) closeDialog(palette);
    if ("act" in command.dataset || "calm" in command.dataset) return; // the editor does it
    event.preventDefault();
    event.stopPropagation();
    if (isList) showShortcuts();
    else if (command.dataset.link) copyLink(command.dataset.link);
    else if (command instanceof HTMLAnchorElement) follow(command);
    else if (command instanceof HTMLButtonElement) send(command);
  },
  true,
);

/** @param {string} link */
async function copyLink(link) {
  try {
    await navigator.clipboard.writeText(link);
    notify("Link copied.");
  } catch {
    notify(`The browser doesn't allow copying. The link is ${link}`, "trouble");
  }
}

/**
 * Click the page's own link or button for the same action, because those open in place. Without one, open the page.
 * @param {HTMLAnchorElement} link
 */
async function follow(link) {
  /** @type {HTMLAnchorElement[]} */
  const links = Array.from(document.querySelectorAll('a:is([hx-target="#sheet"], [hx-target="#details"])'));
  const own = links.find((one) => one.pathname === link.pathname);
  /** @type {HTMLElement | null} */
  const preview = link.pathname.endsWith("/preview") ? document.querySelector("[data-preview]") : null;
  if (own) own.click();
  else if (preview?.checkVisibility()) preview.click();
  else if (await isSaved()) location.href = link.href;
}

/**
 * Send the form of a command. A theme is also applied to the open page, which stays.
 * @param {HTMLButtonElement} button
 */
async function send(button) {
  const [, theme] = /\/theme\/(\w+)$/.exec(button.formAction) ?? [];
  if (!theme) {
    if (await isSaved()) button.form?.requestSubmit(button);
    return;
  }
  const root = document.documentElement;
  if (theme === "system") delete root.dataset.scheme;
  else root.dataset.scheme = theme;
  const request = { method: "POST", headers: requestHeaders({ "HX-Request": "true" }) };
  const response = await fetch(button.formAction, request).catch(() => null);
  if (!response?.ok) notify("The theme is changed on this page only. Try again to keep it.", "trouble");
}

/** Ask the editor to save the text, if there is one, and return whether the page can be left. */
async function isSaved() {
  /** @type {Promise<boolean>[]} */
  const waitFor = [];
  document.dispatchEvent(new CustomEvent("blogsvc:save", { detail: { waitFor } }));
  const saved = !(await Promise.all(waitFor)).includes(false);
  if (!saved) notify("Your latest changes aren't saved yet. Try again in a moment.", "trouble");
  return saved;
}
