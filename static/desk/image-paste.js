// A text that takes pictures: pasted, dropped or chosen. What puts them there is fetched when the first one comes.
import { say } from "./app.js";

export const TAKEN = ["image/jpeg", "image/png", "image/gif", "image/webp", "image/avif"];

/** What of a paste or a drop is a picture. Text that comes with its own image, as from a spreadsheet, is text. */
export function filesOf(transfer) {
  const isText = transfer.types.includes("text/plain") || transfer.types.includes("text/uri-list");
  return isText ? [] : [...transfer.files];
}

/**
 * Let a textarea take pictures by paste and by drop, and send them by `upload` (by default to the library). Answers
 * `add(files)`, which puts them in at the caret, and `choose()`, for a button that asks for files.
 */
export function pictures(textarea, options = {}) {
  let placing;
  const load = () =>
    (placing ??= import("./image-placeholders.js").then((module) => module.placing(textarea, options)));

  async function add(files) {
    try {
      return (await load())([...files]);
    } catch {
      placing = undefined;
      return say("Pictures cannot be taken now: there is no connection.", "trouble");
    }
  }

  textarea.addEventListener("paste", (event) => {
    const files = filesOf(event.clipboardData);
    if (!files.length) return;
    event.preventDefault();
    add(files);
  });
  textarea.addEventListener("dragover", (event) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    textarea.classList.add("is-over");
  });
  textarea.addEventListener("dragleave", () => textarea.classList.remove("is-over"));
  textarea.addEventListener("drop", (event) => {
    textarea.classList.remove("is-over");
    const files = [...event.dataTransfer.files];
    if (!files.length) return;
    event.preventDefault();
    const place = document.caretPositionFromPoint?.(event.clientX, event.clientY);
    if (place?.offsetNode === textarea) textarea.setSelectionRange(place.offset, place.offset);
    add(files);
  });

  function choose() {
    const input = Object.assign(document.createElement("input"), {
      type: "file",
      multiple: true,
      accept: TAKEN.join(),
    });
    input.addEventListener("change", () => add(input.files));
    input.click();
  }

  return { add, choose };
}
