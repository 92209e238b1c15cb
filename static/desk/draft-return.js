// @ts-check
// What a draft needs seldom: a page that is visible again, a session that has ended, a deleted post.
import { notify, requestHeaders } from "./app.js";
import { HTMX, isSame } from "./autosave.js";

/**
 * Say why a draft was not saved, and what to do.
 * @param {import("./autosave.js").Autosave} autosave
 * @param {number} status The HTTP status of the response.
 */
export function explain(autosave, status) {
  if (status === 404) notify("This post no longer exists. Your text is kept on this device.", "trouble");
  if ((status !== 401 && status !== 422) || autosave.isSignedOut) return;
  autosave.isSignedOut = true;
  notify("Your session has ended. Your text is kept on this device. To save it, ", "trouble");
  const link = document.createElement("a");
  Object.assign(link, { href: "/login", target: "_blank", textContent: "sign in again in a new tab" });
  document.querySelector("#notices button")?.before(link, ". ");
}

/**
 * Get the form token of a new session. Throws an error if the user is still signed out.
 * @param {import("./autosave.js").Autosave} autosave
 */
export async function renewToken(autosave) {
  const response = await fetch(autosave.url, { headers: HTMX });
  if (!response.ok) throw new Error("Still signed out");
  const { token } = await response.json();
  document.body.setAttribute("hx-headers:inherited", JSON.stringify(requestHeaders({ "X-CSRFToken": token })));
  /** @type {NodeListOf<HTMLInputElement>} */
  const inputs = document.querySelectorAll("[name=csrf_token]");
  for (const input of inputs) input.value = token;
  document.getElementById("notices")?.replaceChildren();
  autosave.isSignedOut = false;
}

/**
 * Show what was saved elsewhere, unless this page has changes of its own.
 * @param {import("./autosave.js").Autosave} autosave
 */
export async function showSaved(autosave) {
  const response = await fetch(autosave.url, { headers: HTMX });
  if (!response.ok || autosave.isDirty) return;
  const answer = await response.json();
  if (answer.rev === autosave.rev || autosave.isDirty) return; // the user has typed meanwhile
  if (!isSame(answer, autosave.saved)) autosave.handlers.setDraft(answer);
  autosave.confirm(autosave.draft, answer);
}
