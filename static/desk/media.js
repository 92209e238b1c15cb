// @ts-check
// The media library: upload several images at once, dropped anywhere on the page, pasted or chosen.
import { byId, notify } from "./app.js";
import { filesOf } from "./image-paste.js";
import { problemOf, showProgress, upload } from "./image-upload.js";

const form = /** @type {HTMLFormElement} */ (byId("drop"));
const input = /** @type {HTMLInputElement} */ (form.elements.namedItem("file"));

input.multiple = true;
form.addEventListener("submit", (event) => {
  event.preventDefault();
  uploadAll([...(input.files ?? [])]);
});
input.addEventListener("change", () => uploadAll([...(input.files ?? [])]));

document.addEventListener("dragover", (event) => {
  if (!event.dataTransfer?.types.includes("Files")) return;
  event.preventDefault();
  form.classList.add("is-over");
});
document.addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) form.classList.remove("is-over");
});
document.addEventListener("drop", (event) => {
  form.classList.remove("is-over");
  const files = [...(event.dataTransfer?.files ?? [])];
  if (!files.length) return;
  event.preventDefault();
  uploadAll(files);
});
document.addEventListener("paste", (event) => {
  const files = event.clipboardData ? filesOf(event.clipboardData) : [];
  if (!files.length) return;
  event.preventDefault();
  uploadAll(files);
});

/** @param {File[]} files */
async function uploadAll(files) {
  /** @type {UploadedImage[]} */
  const images = [];
  let hasFailed = false;
  form.reset();
  for (const file of files) {
    const { update, end } = showProgress(file);
    try {
      images.push(await upload(file, update));
    } catch (error) {
      hasFailed = true;
      const reason = error instanceof Error ? error.message : String(error);
      const { listFailure } = await import("./failed-uploads.js");
      listFailure({ name: file.name, reason, canRetry: !problemOf(file), retry: () => uploadAll([file]), home: input });
    } finally {
      end();
    }
  }
  const last = images.at(-1);
  if (last) {
    await htmx.ajax("GET", form.action, { target: "#images", swap: "outerHTML" });
    document.getElementById(`${last.id}-alt`)?.focus();
  }
  if (last && !hasFailed) notify(said(images));
}

/** @param {UploadedImage[]} images */
function said(images) {
  const count = images.filter(({ isNew }) => isNew).length;
  if (!count) return images.length > 1 ? "These images are here already." : "This image is here already.";
  return count > 1 ? `${count} images uploaded. Add alt text to each.` : "Image uploaded. Add its alt text.";
}

// The counts of the filters change when an alt text is saved or an image is deleted.
document.addEventListener("images-changed", () => {
  htmx.ajax("GET", location.href, { target: "#image-filters", select: "#image-filters", swap: "outerHTML" });
});

// When an image is deleted, the focus goes to the next one.
/** @type {Element | null | undefined} */
let changed;
/** @type {Element | null | undefined} */
let neighbour;
document.addEventListener("htmx:before:swap", ({ detail }) => {
  changed = detail.ctx?.sourceElement?.closest(".image");
  neighbour = changed?.nextElementSibling ?? changed?.previousElementSibling;
});
document.addEventListener("htmx:after:swap", () => {
  const isDeleted = changed && !changed.isConnected;
  if (isDeleted && neighbour instanceof HTMLElement && neighbour.isConnected) neighbour.focus();
  changed = undefined;
});
