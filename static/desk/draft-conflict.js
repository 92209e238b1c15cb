// @ts-check
// Show an edit conflict beside the text, or below it in a narrow window, and let the user choose a version.
import { byId, closest } from "./app.js";
import { jsonHeaders, tidy } from "./autosave.js";

/**
 * Show the difference between the draft in the editor and the one on the server.
 * @param {import("./autosave.js").Autosave} autosave
 * @param {string} html
 */
export function showConflict(autosave, html) {
  const box = byId("conflict");
  box.replaceChildren(...new DOMParser().parseFromString(html, "text/html").body.children);
  box.onclick = async (event) => {
    const choice = closest(event, "[data-keep]")?.dataset.keep;
    if (!choice) return;
    const isDone = await resolve(autosave, choice !== "theirs");
    if (choice === "merge") {
      for (const button of box.querySelectorAll("[data-keep]")) button.remove();
      const note = /** @type {HTMLElement} */ (box.querySelector("p"));
      note.textContent =
        "Both versions are in the version history. The editor has yours: copy what you need from the other one.";
    } else if (isDone) box.replaceChildren();
    autosave.fields.content.focus();
  };
}

/**
 * Resolve the conflict with the draft in the editor or with the other one. The one not chosen stays in the version
 * history. Return whether it worked.
 * @param {import("./autosave.js").Autosave} autosave
 * @param {boolean} isMine
 */
async function resolve(autosave, isMine) {
  if (isMine) {
    autosave.rev = autosave.conflict?.rev ?? autosave.rev;
    autosave.conflict = null;
    return autosave.flush(true);
  }
  const response = await saveToHistory(autosave, autosave.draft);
  if (!response?.ok) return autosave.retryLater();
  const answer = await response.json();
  autosave.conflict = null;
  autosave.handlers.setDraft(answer);
  return autosave.confirm(autosave.draft, answer);
}

/**
 * Add a draft to the version history and leave the post as it is. Return null if the server is unreachable.
 * @param {import("./autosave.js").Autosave} autosave
 * @param {Draft} draft
 */
export function saveToHistory({ url }, draft) {
  const body = JSON.stringify({ ...tidy(draft), keep: "theirs" });
  return fetch(url.replace(/draft$/, "settle"), { method: "POST", headers: jsonHeaders(), body }).catch(() => null);
}
