// The editor: a textarea with a proof beside it. Everything here is a convenience over a form that works without it.
// What is needed to read, and to lose nothing, is here; keys, buttons and places come with the first touch (editor-tools.js).
import { say } from "./app.js";
import { marks } from "./markdown-highlight.js";
import { Saving } from "./autosave.js";

const PROOF = 400; // milliseconds without a key

const page = document.getElementById("write");
const title = document.getElementById("title");
const text = document.getElementById("content");
const clash = document.getElementById("conflict");
const { paint, top } = marks(text.parentElement, text);

// --- what is on the page follows what is written ---

let later;
function changed() {
  fit();
  document.title = document.title.replace(/^.*(?= · )/, () => title.value.trim() || "Untitled");
  clearTimeout(later);
  later = setTimeout(() => htmx.trigger("#proof [aria-current]", "refresh"), PROOF);
}

// Where a field does not grow by itself (CSS field-sizing).
function fit() {
  if (CSS.supports("field-sizing", "content")) return;
  title.style.height = "auto";
  title.style.height = `${title.scrollHeight}px`;
}

const fields = {
  title,
  content: text,
  rev: document.querySelector("[name=rev]"),
  status: document.getElementById("saved"),
};
const saving = new Saving(page.dataset.post, fields, {
  told(answer) {
    const { newer, state } = document.getElementById("standing").dataset;
    if (Number(newer) !== answer.newer || state !== answer.state) htmx.trigger("#restand", "refresh");
  },
  clash(answer) {
    clash.replaceChildren(...new DOMParser().parseFromString(answer.html, "text/html").body.children);
    clash.scrollIntoView({ block: "nearest" });
  },
  put(words) {
    title.value = words.title;
    text.value = words.content;
    paint();
    changed();
  },
});

for (const area of [title, text]) area.addEventListener("input", changed);
fit();

clash.addEventListener("click", async (event) => {
  const { keep } = event.target.closest("[data-keep]")?.dataset ?? {};
  if (!keep) return;
  const isDone = await saving.settle(keep !== "theirs");
  if (keep === "merge") {
    for (const button of clash.querySelectorAll("[data-keep]")) button.remove();
    clash.querySelector("p").textContent =
      "Both texts are in the history. Yours is in the field; bring in what you want of the other.";
  } else if (isDone) clash.replaceChildren();
  text.focus();
});

// What the server is asked about the post, it is asked about all that is written. Where it cannot answer, the page
// stays as it is: nobody is led away from what they write.
document.addEventListener("htmx:config:request", ({ detail: { ctx } }) => {
  ctx.fetch = async (...request) => {
    const nothing = new Response(null, { status: 204 });
    if (!ctx.sourceElement.closest("#proof") && !(await saving.flush())) {
      say("Your latest words are not saved yet, so this was not done.", "trouble");
      return nothing;
    }
    const response = await fetch(...request).catch(() => nothing);
    if (response.status !== 401) return response;
    saving.refused(401);
    return nothing;
  };
});

// Whoever needs the text to be saved, such as the sheet for publishing, asks for it, and waits.
document.addEventListener("blogsvc:save", ({ detail }) => detail.waitFor.push(saving.flush()));

document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key !== "s") return;
  event.preventDefault();
  saving.flush();
});

title.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.isComposing || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  text.focus();
});

// --- the rest, at the first touch ---

let tools;
const load = () => (tools ??= import("./editor-tools.js").then(({ start }) => start({ page, title, text, top })));

for (const kind of ["pointerover", "focusin", "scroll", "dragenter"])
  page.addEventListener(kind, load, { once: true, capture: true });
document.addEventListener("keydown", (event) => {
  load();
  // Whoever is faster than what comes with the first key still gets the sheet, by its link.
  if ("ready" in page.dataset || event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  document.querySelector("[data-publish]").click();
});
page.addEventListener("click", async ({ target }) => {
  const button = target.closest(".strip button, .foot button");
  if (!button || "ready" in page.dataset) return;
  await load();
  button.click();
});
if (page.contains(document.activeElement)) load();
