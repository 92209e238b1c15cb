// @ts-check
// The preview of the look follows the form. Each change loads a new frame behind the one that is shown, which it
// replaces when it is ready: so nothing flickers, the page stays where it was scrolled to, and the button "Back"
// leaves.

const PAUSE = 400; // milliseconds after a key

const form = /** @type {HTMLFormElement} */ (document.getElementById("look-form"));
const button = /** @type {HTMLButtonElement} */ (form.querySelector("[data-preview-look]"));
const pane = /** @type {HTMLElement} */ (form.querySelector(".pane"));
const color = /** @type {HTMLInputElement} */ (form.elements.namedItem("color"));
const shade = /** @type {HTMLOutputElement} */ (form.querySelector("output"));
const byDefault = /** @type {HTMLButtonElement} */ (form.querySelector("[data-default-color]"));
let timer = 0;
let latest = 0;

/** Show the look in the form, and say what is left out because it is wrong. */
async function update() {
  const request = ++latest;
  const body = new URLSearchParams(/** @type {any} */ (new FormData(form)));
  const headers = { "HX-Request": "true" };
  const answer = await fetch(button.formAction, { method: "POST", body, headers }).catch(() => null);
  const said = new DOMParser().parseFromString((await answer?.text()) ?? "", "text/html");
  if (request !== latest || !answer?.ok || !said.getElementById("look-faults")) return;
  for (const id of ["look-colors", "look-faults"]) {
    document.getElementById(id)?.replaceChildren(.../** @type {HTMLElement} */ (said.getElementById(id)).childNodes);
  }
  for (const fault of form.querySelectorAll(".field .err, .err[role=alert]")) fault.remove(); // of the last save
  load();
}

/** Load the page into a frame of its own, and show it in place of the former one. */
function load() {
  const [shown, ...others] = pane.querySelectorAll("iframe");
  for (const other of others) other.remove();
  const fresh = /** @type {HTMLIFrameElement} */ (shown.cloneNode());
  fresh.removeAttribute("src");
  fresh.name = button.formTarget = `look-preview-${latest}`; // a frame keeps the name that it began with
  fresh.dataset.waits = "";
  pane.append(fresh);
  fresh.addEventListener("load", () => {
    if (fresh.contentDocument?.URL === "about:blank") return; // not yet
    fresh.contentWindow?.scrollTo({ top: shown.contentWindow?.scrollY, behavior: "instant" });
    delete fresh.dataset.waits;
    shown.remove();
  });
  form.requestSubmit(button);
}

/** Check the radio buttons of what is shown if nothing was chosen yet. */
function checkDefaults() {
  const width = matchMedia("(max-width: 55rem)").matches ? "phone" : "desktop";
  const scheme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  for (const [name, value] of Object.entries({ width, scheme })) {
    /** @type {NodeListOf<HTMLInputElement>} */
    const radios = form.querySelectorAll(`[name=preview_${name}]`);
    const isChosen = [...radios].some((radio) => radio.checked);
    for (const radio of radios) radio.checked ||= !isChosen && radio.value === value;
  }
}

color.addEventListener("input", () => {
  shade.value = color.value;
});
byDefault.addEventListener("click", () => {
  color.value = byDefault.dataset.defaultColor ?? "";
  color.dispatchEvent(new Event("input", { bubbles: true }));
});
form.addEventListener("input", ({ target }) => {
  if (target instanceof Element && target.matches("[name=preview_width]")) return;
  clearTimeout(timer);
  timer = window.setTimeout(update, PAUSE);
});
button.formAction += "?leave_out"; // what is wrong, which is said above the frame
shade.value = color.value; // browsers restore fields
checkDefaults();
