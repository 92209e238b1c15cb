// The publish sheet: opened over the text, its button under the pointer that opened it and in words that say what it does.
import { open, say } from "./app.js";

const UNSAVED = "The text could not be saved, and so it is not published. It is kept on this device.";
let opener = null;

// Ctrl+Enter opens the sheet, and again presses its button.
document.addEventListener(
  "keydown",
  (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
    const form =
      document.querySelector("dialog[open] form[data-sheet]") ?? document.querySelector("main form[data-sheet]");
    const go = form?.querySelector("[data-go]");
    const link = document.querySelector(OPENS);
    if (document.querySelector("dialog[open]") ? !form : !form && !link) return;
    event.preventDefault();
    event.stopPropagation();
    if (form) {
      if (go && !go.disabled && !event.repeat) form.requestSubmit(go);
    } else if (!event.repeat) openSheet(link);
  },
  true,
);

const OPENS = 'a[data-publish], a[href$="/publish"]';

document.addEventListener(
  "click",
  (event) => {
    const link = event.target.closest(OPENS);
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation(); // the text is saved first
    openSheet(link);
  },
  true,
);

/** Save the text, then ask what publishing it would do. Whoever holds the text puts a promise into `waitFor`. */
async function openSheet(link) {
  opener = link;
  link.setAttribute("aria-busy", "true");
  try {
    const waitFor = [];
    document.dispatchEvent(new CustomEvent("blogsvc:save", { detail: { waitFor } }));
    if ((await Promise.all(waitFor)).includes(false)) throw new Error(UNSAVED);
    const dialog = document.getElementById("sheet") ?? makeDialog();
    await htmx.ajax("GET", link.href, { target: "#sheet" });
    if (!dialog.childElementCount) return;
    open(dialog);
    arrange();
    document.getElementById("sheet-title")?.focus();
  } catch (error) {
    say(error?.message || UNSAVED, "trouble");
  } finally {
    link.removeAttribute("aria-busy");
  }
}

function makeDialog() {
  const dialog = document.createElement("dialog");
  dialog.id = "sheet";
  dialog.className = "sheet";
  dialog.setAttribute("aria-labelledby", "sheet-title");
  document.body.append(dialog);
  return dialog;
}

document.addEventListener(
  "close",
  (event) => {
    if (event.target.id !== "sheet") return;
    event.target.replaceChildren();
    event.target.removeAttribute("style");
  },
  true,
);

/** Put the dialog so that its button lies where the pointer is that opened it, as far as the window allows. */
function place(dialog) {
  const go = dialog.querySelector("[data-go]");
  dialog.removeAttribute("style");
  if (!go || !opener?.isConnected) return;
  const from = opener.getBoundingClientRect(),
    to = go.getBoundingClientRect(),
    box = dialog.getBoundingClientRect();
  if (!from.width) return;
  const x = from.left + from.width / 2 - (to.left + to.width / 2);
  const y = from.top + from.height / 2 - (to.top + to.height / 2);
  const within = (at, most) => Math.max(4, Math.min(at, most - 4));
  const isNarrow = innerWidth < box.width + 64; // there is no room to move it sideways
  const left = isNarrow ? box.left : within(box.left + x, innerWidth - box.width),
    top = within(box.top + y, innerHeight - box.height);
  Object.assign(dialog.style, {
    margin: "0",
    left: `${left}px`,
    top: `${top}px`,
    maxHeight: `${innerHeight - top - 8}px`,
  });
}

/** After anything was shown or chosen: say what the button does. */
function arrange() {
  for (const form of document.querySelectorAll("form[data-sheet]")) {
    relabel(form);
    for (const keys of form.querySelectorAll("[data-scripted]")) {
      keys.hidden = false;
      if (navigator.platform.startsWith("Mac")) keys.firstElementChild.textContent = "⌘";
    }
  }
  const dialog = document.getElementById("sheet");
  if (dialog?.open) place(dialog);
}

function relabel(form) {
  const go = form.querySelector("[data-go]");
  if (!go) return;
  const ticked = [...form.querySelectorAll("[name=platforms]:checked:not(:disabled)")];
  const changed = ticked.filter((it) => it.dataset.does === "update").length;
  go.textContent =
    "update" in form.dataset ? updates(changed, ticked.length - changed) : publishes(form, ticked.length);
  go.disabled = !ticked.length;
}

const places = (count) => `${count} place${count === 1 ? "" : "s"}`;

function updates(changed, fresh) {
  if (!changed && !fresh) return "Choose a place";
  if (!fresh) return `Update in ${places(changed)}`;
  return changed ? `Update ${changed}, publish to ${fresh}` : `Publish to ${places(fresh)}`;
}

function publishes(form, count) {
  if (!count) return "Choose a place";
  const when = form.elements.when?.value ?? "now";
  if (when === "now") return `Publish to ${places(count)}`;
  const at =
    when === "slot" ? form.querySelector("[name=when][value=slot]").dataset.brief : brief(form.elements.at.value);
  return at ? `Schedule for ${at} in ${places(count)}` : "Choose a time";
}

/** "Tue 09:00" within a week, else "24 Nov 09:00", of a wall time as it was typed. */
function brief(typed) {
  const at = new Date(typed);
  if (Number.isNaN(at.getTime())) return "";
  const isNear = at - Date.now() > 0 && at - Date.now() < 6 * 86400e3;
  const day = at.toLocaleDateString("en-GB", isNear ? { weekday: "short" } : { day: "numeric", month: "short" });
  return `${day} ${typed.slice(11, 16)}`;
}

/** The offset of a zone at a wall time: it changes with the clocks. */
function showOffset(form) {
  const note = form.querySelector("[data-zone]"),
    at = new Date(`${form.elements.at.value}Z`);
  if (!note || Number.isNaN(at.getTime())) return;
  const parts = new Intl.DateTimeFormat("en", {
    timeZone: note.dataset.zone,
    timeZoneName: "shortOffset",
  }).formatToParts(at);
  const offset = parts
    .find((part) => part.type === "timeZoneName")
    .value.replace("GMT", "UTC")
    .replace("-", "−");
  note.textContent = `${note.dataset.zone} (${offset})`;
}

document.addEventListener("input", (event) => {
  const form = event.target.closest("form[data-sheet]");
  if (!form) return;
  if (event.target.name === "at") {
    form.querySelector("[name=when][value=at]").checked = true;
    form.querySelector(".readings")?.remove();
    showOffset(form);
  }
  relabel(form);
});

// What came of it takes the place of the form, and the focus that was in it.
document.addEventListener("htmx:after:swap", () => {
  const dialog = document.getElementById("sheet");
  arrange();
  if (!dialog?.open || dialog.contains(document.activeElement)) return;
  (dialog.querySelector(".readings input[type=radio]") ?? document.getElementById("sheet-title"))?.focus();
});

addEventListener("resize", arrange);

arrange();
