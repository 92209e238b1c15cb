// @ts-check
// Show an edit conflict above the text, and let the person choose a version.
import { byId, closest } from "./app.js";

/**
 * Show the difference between the draft in the editor and the one on the server.
 * @param {import("./autosave.js").Autosave} autosave
 * @param {string} html
 */
export function showConflict(autosave, html) {
  const box = byId("conflict");
  box.replaceChildren(...new DOMParser().parseFromString(html, "text/html").body.children);
  box.scrollIntoView({ block: "nearest" });
  box.onclick = async (event) => {
    const choice = closest(event, "[data-keep]")?.dataset.keep;
    if (!choice) return;
    const isDone = await autosave.resolve(choice !== "theirs");
    if (choice === "merge") {
      for (const button of box.querySelectorAll("[data-keep]")) button.remove();
      const note = /** @type {HTMLElement} */ (box.querySelector("p"));
      note.textContent =
        "Both versions are in the version history. The editor has yours: copy what you need from the other one.";
    } else if (isDone) box.replaceChildren();
    autosave.fields.content.focus();
  };
}
