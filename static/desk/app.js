// On every page: dialogs, shortcuts. All of it is a convenience: what it does can be done by links and forms.
// And what the other scripts share. They import it by the address that pages load it by, so that it is there once.

/** The headers that a request of ours needs: the form token that the body carries for htmx. */
export function headers(more = {}) {
  return { ...JSON.parse(document.body.getAttribute("hx-headers:inherited")), ...more };
}

/** Say something in the place for it, which screen readers announce. `kind` is done or trouble. */
export function say(text, kind = "done") {
  const notice = document.createElement("p");
  notice.className = `notice ${kind}`;
  notice.textContent = text;
  document.getElementById("notices").replaceChildren(notice);
}

/** Whether the keys that are pressed are being typed into something. */
export function isTyping(event) {
  return event.target.closest?.("input, textarea, select, [contenteditable]") !== null;
}

/** Whether shortcuts of a single key are wanted: they can be switched off in the profile (WCAG 2.1.4). */
export function hasShortcuts() {
  return "shortcuts" in document.body.dataset;
}

/** Open a dialog that is not open. The browser gives the focus back when it closes. */
export function open(dialog) {
  if (!dialog.open) dialog.showModal();
}

// A fragment that is fetched into a dialog opens it.
document.addEventListener("htmx:after:settle", (event) => {
  if (event.target instanceof HTMLDialogElement && event.target.childElementCount) open(event.target);
});

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-close]")) {
    const dialog = event.target.closest("dialog");
    if (dialog) {
      event.preventDefault();
      dialog.close();
    }
  }
  const copied = event.target.closest("[data-copy]");
  if (copied) copy(copied);
});

// A click beside a dialog closes it, as Esc does.
document.addEventListener("pointerdown", (event) => {
  if (event.target instanceof HTMLDialogElement && event.target.open) {
    const box = event.target.getBoundingClientRect();
    const isInside =
      event.clientX >= box.left &&
      event.clientX <= box.right &&
      event.clientY >= box.top &&
      event.clientY <= box.bottom;
    if (!isInside) event.target.close();
  }
});

async function copy(button) {
  await navigator.clipboard.writeText(button.dataset.copy);
  const label = button.querySelector("span") ?? button;
  const before = label.textContent;
  label.textContent = "Copied";
  setTimeout(() => {
    label.textContent = before;
  }, 1500);
}

// The palette: Ctrl or Cmd and /, anywhere. Arrows walk through what is found; the links are real ones.
document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key === "/") {
    event.preventDefault();
    document.querySelector("[data-palette]")?.click();
  } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    const list = event.target.closest?.(".palette");
    if (list) walk(event, [...list.querySelectorAll("input[type=search], a")]);
  } else if (event.key === "Enter" && event.target.closest?.(".palette input[type=search]")) {
    event.preventDefault();
    takeFirst(event.target);
  }
});

// What is found for the words that stand there; where they are still being looked for, once that is known.
function takeFirst(field) {
  const found = field.form.querySelector("#found");
  if (found.dataset.for === field.value.trim().slice(0, 100)) found.querySelector("a")?.click();
  else field.addEventListener("htmx:after:swap", () => takeFirst(field), { once: true });
}

function walk(event, stops) {
  const next = stops.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
  event.preventDefault();
  stops.at(next % stops.length).focus();
}

// One key, and two in a row; the palette lists them.
const GO = { d: "/desk", c: "/desk/calendar", i: "/desk/insights" };
let wasG = false;

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
  if (!hasShortcuts() || isTyping(event) || document.querySelector("dialog[open]")) return;
  if (wasG && GO[event.key]) location.href = GO[event.key];
  else if (event.key === "n") document.querySelector("form[data-new]")?.requestSubmit();
  else if (event.key === "/") document.querySelector("input[type=search]")?.focus();
  else if (event.key !== "g") {
    wasG = false;
    return;
  }
  wasG = event.key === "g";
  event.preventDefault();
});
