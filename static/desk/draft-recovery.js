// @ts-check
// Recover drafts that closed pages left in this browser.
import { notify } from "./app.js";
import { isSame } from "./autosave.js";
import { saveToHistory } from "./draft-conflict.js";

/**
 * Put the latest draft back into the editor. If the server has changed since, that is a conflict like any other. Older
 * drafts go to the version history.
 * @param {import("./autosave.js").Autosave} autosave
 * @param {string[]} keys The keys of the drafts in localStorage.
 */
export async function recover(autosave, keys) {
  const held = (await navigator.locks?.query())?.held?.map((lock) => lock.name) ?? []; // by open pages
  /** @type {[key: string, draft: StoredDraft][]} */
  const drafts = keys
    .filter((key) => !held.includes(key))
    .sort()
    .map((key) => [key, JSON.parse(localStorage.getItem(key) ?? "")]);
  const latest = drafts.pop();
  for (const [key, draft] of drafts) await moveToHistory(key, draft);
  if (!latest) return;
  const [key, draft] = latest;
  if (autosave.isDirty) {
    // The user has typed meanwhile: keep that text in the editor.
    await moveToHistory(key, draft);
    notify("Unsaved changes from your last visit are in the version history.");
    return;
  }
  if (!isSame(draft, autosave.saved)) {
    autosave.sent = draft.sent;
    if (!draft.sent.some((one) => isSame(one, autosave.saved))) autosave.rev = draft.rev;
    autosave.handlers.setDraft(draft);
    autosave.store();
    notify("Unsaved changes from your last visit were restored.");
    autosave.flush();
  }
  localStorage.removeItem(key);

  /**
   * @param {string} key
   * @param {StoredDraft} draft
   */
  async function moveToHistory(key, draft) {
    if ((await saveToHistory(autosave, draft))?.ok) localStorage.removeItem(key);
  }
}
