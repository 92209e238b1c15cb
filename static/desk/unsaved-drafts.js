// @ts-check
// On the dashboard: lead to the posts with text that a closed page could not save, and that only this browser has.
// Their drafts may be in no list, because they are blank on the server.
import { byId } from "./app.js";
import { HTMX, isSame, onDevice } from "./autosave.js";

const MAX_SHOWN = 3;

/** @returns {Promise<string[]>} The ids of the posts, those that this user may edit, the latest last. */
async function postsWithUnsavedText() {
  /** @type {StoredDraft[]} */
  const stored = await onDevice((drafts) => drafts.getAll()).catch(() => []);
  const held = (await navigator.locks?.query())?.held?.map((lock) => lock.name) ?? []; // by open pages
  const found = new Set();
  for (const draft of stored) {
    const [, post] = draft.key.split(" ");
    if (held.includes(draft.key) || found.has(post)) continue;
    const response = await fetch(`/desk/posts/${post}/draft`, { headers: HTMX }).catch(() => null);
    if (response?.ok && !isSame(draft, await response.json())) found.add(post);
  }
  return [...found];
}

postsWithUnsavedText().then((posts) => {
  const shown = posts.slice(-MAX_SHOWN);
  if (!shown.length) return;
  const notice = Object.assign(document.createElement("p"), { className: "notice trouble" });
  notice.append("Some of your text is saved only on this device. To save it, ");
  shown.forEach((post, index) => {
    const link = document.createElement("a");
    Object.assign(link, { href: `/desk/posts/${post}`, textContent: index ? "another one" : "open the post" });
    notice.append(index ? " and " : "", link);
  });
  notice.append(".");
  byId("notices").append(notice); // beside what was said before, such as an Undo
});
