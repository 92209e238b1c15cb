// @ts-check
// Accept images in a text area: pasted, dropped or chosen. The module that adds them is loaded with the first image.
import { IMAGE_TYPES, notify } from "./app.js";

/**
 * Return the pasted or dropped files, or none if there is text too. Spreadsheets add an image to copied text.
 * @param {DataTransfer} transfer
 */
export function filesOf(transfer) {
  const isText = transfer.types.includes("text/plain") || transfer.types.includes("text/uri-list");
  return isText ? [] : [...transfer.files];
}

/**
 * Move the caret to where something was dropped.
 * @param {HTMLTextAreaElement} area
 * @param {DragEvent} event
 */
export function moveCaret(area, { clientX, clientY }) {
  const position = document.caretPositionFromPoint?.(clientX, clientY);
  const caret = position?.offsetNode === area ? position.offset : area.selectionEnd;
  area.setSelectionRange(caret, caret); // nothing that is selected elsewhere is replaced
}

/**
 * Accept images in a text area. Return `add`, for other files, and `choose`, for a button that asks for files.
 * @param {HTMLTextAreaElement} area
 */
export function acceptImages(area) {
  /** @type {Promise<(files: File[]) => Promise<void>> | undefined} */
  let loading;

  /** @param {File[]} files */
  async function add(files) {
    loading ??= import("./image-placeholders.js").then(({ imageAdder }) => imageAdder(area));
    try {
      const addImages = await loading;
      addImages(files);
    } catch {
      loading = undefined;
      notify("Images can't be uploaded now. Check your connection and try again.", "trouble");
    }
  }

  area.addEventListener("paste", (event) => {
    const files = event.clipboardData ? filesOf(event.clipboardData) : [];
    if (!files.length) return;
    event.preventDefault();
    add(files);
  });
  area.addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    area.classList.add("is-over");
  });
  area.addEventListener("dragleave", () => area.classList.remove("is-over"));
  area.addEventListener("drop", (event) => {
    area.classList.remove("is-over");
    const files = [...(event.dataTransfer?.files ?? [])];
    if (!files.length) return;
    event.preventDefault();
    moveCaret(area, event);
    add(files);
  });

  return {
    add,
    choose() {
      const input = document.createElement("input");
      Object.assign(input, { type: "file", multiple: true, accept: IMAGE_TYPES.join() });
      input.addEventListener("change", () => add([...(input.files ?? [])]));
      input.click();
    },
  };
}
