// @ts-check
// Recover drafts that closed pages left in this browser.
import { notify } from "./app.js";
import { isSame, onDevice } from "./autosave.js";
import { saveToHistory } from "./draft-conflict.js";

/**
 * Put the latest draft back into the editor. If the server has changed since, that is a conflict like any other. Older
 * drafts go to the version history.
 * @param {import("./autosave.js").Autosave} autosave
 * @param {StoredDraft[]} stored
 */
export async function recover(autosave, stored) {
  const held = (await navigator.locks?.query())?.held?.map((lock) => lock.name) ?? []; // by open pages
  const drafts = stored.filter(({ key }) => key !== autosave.key && !held.includes(key));
  const latest = drafts.pop();
  for (const draft of drafts) await moveToHistory(draft);
  if (!latest) return;
  if (autosave.isDirty) {
    // The user has typed meanwhile: keep that text in the editor.
    await moveToHistory(latest);
    notify("Unsaved changes from your last visit are in the version history.");
    return;
  }
  if (!isSame(latest, autosave.saved)) {
    autosave.sent = latest.sent;
    if (!latest.sent.some((one) => isSame(one, autosave.saved))) autosave.rev = latest.rev;
    autosave.handlers.setDraft(latest);
    autosave.store();
    notify("Unsaved changes from your last visit were restored.");
    autosave.flush();
  }
  await remove(latest);

  /** @param {StoredDraft} draft */
  async function moveToHistory(draft) {
    if ((await saveToHistory(autosave, draft))?.ok) await remove(draft);
  }

  /** @param {StoredDraft} draft */
  function remove({ key }) {
    return onDevice((drafts) => drafts.delete(key), "relaxed");
  }
}
