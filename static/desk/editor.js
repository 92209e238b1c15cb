// @ts-check
// The editor's preview and autosave; editor-tools.js has keys, buttons and images. The form works without scripts, too.
import { byId, closest, notify } from "./app.js";
import { Autosave } from "./autosave.js";
import { highlight } from "./markdown-highlight.js";

const PREVIEW_DELAY = 400; // milliseconds after the last key

const page = byId("write");
const title = /** @type {HTMLTextAreaElement} */ (byId("title"));
const text = /** @type {HTMLTextAreaElement} */ (byId("content"));
const { paint, top } = highlight(/** @type {HTMLElement} */ (text.parentElement), text);

/** @type {number} */
let previewTimer;

function update() {
  fitTitle();
  clearTimeout(previewTimer);
  previewTimer = setTimeout(() => htmx.trigger("#preview [aria-current]", "refresh"), PREVIEW_DELAY);
}

/** Show the title as that of the page: not at every key, which would end the browser's step of undo. */
function showTitle() {
  document.title = document.title.replace(/^.*(?= · )/, () => title.value.trim() || "Untitled");
}

/** Fit the title's height to its text in browsers without CSS field-sizing. */
function fitTitle() {
  if (CSS.supports("field-sizing", "content")) return;
  title.style.height = "auto";
  title.style.height = `${title.scrollHeight}px`;
}

const rev = /** @type {HTMLInputElement} */ (document.querySelector("[name=rev]"));
const fields = { title, content: text, rev, status: byId("saved") };
const autosave = new Autosave(page.dataset.post, fields, {
  onSaved(saved) {
    const { newer, state } = byId("schedule-status").dataset;
    if (Number(newer) !== saved.newer || state !== saved.state) htmx.trigger("#refresh-status", "refresh");
  },
  async onConflict({ html }) {
    (await import("./draft-conflict.js")).showConflict(autosave, html);
  },
  setDraft(draft) {
    title.value = draft.title;
    text.value = draft.content;
    paint();
    update();
    showTitle();
  },
});

for (const area of [title, text]) area.addEventListener("input", update);
title.addEventListener("change", showTitle);
fitTitle();

// Save the text before every request that may need it. If saving fails, the request is not sent.
document.addEventListener("htmx:config:request", ({ detail: { ctx } }) => {
  ctx.fetch = async (...request) => {
    const nothing = new Response(null, { status: 204 });
    const isOther = ctx.sourceElement.closest("#preview, #palette, [data-palette], #refresh-status");
    if (!isOther && !(await autosave.flush())) {
      notify("Your latest changes aren't saved yet. Try again in a moment.", "trouble");
      return nothing;
    }
    const response = await fetch(...request).catch(() => nothing);
    if (response.status !== 401) return response;
    autosave.refuse(401);
    return nothing;
  };
});

title.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.isComposing || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  text.focus();
});

// The publish dialog waits for the text to be saved.
document.addEventListener("blogsvc:save", ({ detail }) => detail.waitFor.push(autosave.flush()));

// Load the rest at the first interaction.
/** @type {Promise<EditorTools | undefined> | undefined} */
let tools;
function loadTools() {
  tools ??= import("./editor-tools.js")
    .then(({ start }) => start({ page, title, text, top, autosave }))
    .catch(() => (tools = undefined));
  return tools;
}

for (const kind of ["pointerover", "focusin", "scroll", "dragenter"]) {
  document.addEventListener(kind, loadTools, { once: true, capture: true });
}
document.addEventListener("keydown", (event) => {
  loadTools();
  if (!(event.ctrlKey || event.metaKey)) return;
  if (event.key === "s" && !event.altKey && !event.shiftKey) {
    event.preventDefault();
    autosave.flush();
  }
  if ("ready" in page.dataset || event.key !== "Enter") return;
  event.preventDefault();
  /** @type {HTMLElement} */ (document.querySelector("[data-publish]")).click();
});
// Images and clicks wait for the tools.
for (const kind of ["paste", "drop"]) {
  text.addEventListener(kind, async (/** @type {any} */ event) => {
    const { files, types } = event.clipboardData ?? event.dataTransfer;
    if ("ready" in page.dataset || !files.length || types.includes("text/plain")) return;
    event.preventDefault();
    const images = [...files];
    (await loadTools())?.addImages(images);
  });
}
document.addEventListener(
  "click",
  async (event) => {
    const target = closest(event, ".strip button, .foot button, [data-publish]");
    if (!target || "ready" in page.dataset || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    if (await loadTools()) target.click();
    else notify("The connection failed. Try again in a moment.", "trouble");
  },
  true,
);
if (page.contains(document.activeElement)) loadTools();
