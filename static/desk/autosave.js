// @ts-check
// Autosave. Every change is stored in this browser at once, on the server soon after, and stays in the browser until
// the server confirms it. A save never overwrites somebody else's changes: the user chooses.
import { notify, requestHeaders } from "./app.js";

const SAVE_DELAY = 800; // milliseconds after the last key
const MAX_SAVE_DELAY = 15_000; // milliseconds of typing
const STORE_DELAY = 200;
const MAX_RETRY_DELAY = 30_000;
const MAX_KEEPALIVE = 60_000; // bytes that a browser sends for a closed page

export const HTMX = { "HX-Request": "true", "HX-Request-Type": "partial" }; // so that errors come as for htmx

/**
 * Return a draft as the server stores it: the title on one line.
 * @param {Draft} draft
 * @returns {Draft}
 */
export const tidy = ({ title, content }) => ({ title: title.replace(/\s+/g, " ").trim(), content });

/**
 * Return whether the server would store both drafts as the same.
 * @param {Draft} one
 * @param {Draft} other
 */
export const isSame = (one, other) => tidy(one).title === tidy(other).title && one.content === other.content;

/** @type {Promise<IDBDatabase> | undefined} */
let database;

/**
 * Read or change the drafts in this browser. Unlike localStorage they survive a kill; "strict" ones a power failure.
 * @param {(drafts: IDBObjectStore) => IDBRequest} act
 * @param {IDBTransactionDurability} [durability] Of a change.
 * @returns {Promise<any>} The result of the request, when it is on the disk.
 */
export async function onDevice(act, durability) {
  database ??= new Promise((resolve, reject) => {
    const request = indexedDB.open("blogsvc", 1);
    request.onupgradeneeded = () => request.result.createObjectStore("drafts", { keyPath: "key" });
    request.onsuccess = () => resolve(request.result);
    request.onerror = reject;
  });
  try {
    const mode = durability ? "readwrite" : "readonly";
    const transaction = (await database).transaction("drafts", mode, { durability });
    const request = act(transaction.objectStore("drafts"));
    if (durability) transaction.commit(); // also if the page is closed now
    return await new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = reject;
    });
  } catch (error) {
    database = undefined; // The browser may have closed it.
    throw error;
  }
}

export class Autosave {
  /**
   * @param {string | undefined} post
   * @param {DraftFields} fields
   * @param {AutosaveHandlers} handlers
   */
  constructor(post, fields, handlers) {
    this.fields = fields;
    this.handlers = handlers;
    this.url = `/desk/posts/${post}/draft`;
    this.prefix = `draft ${post} `;
    this.key = this.prefix + Date.now().toString(36) + Math.random().toString(36).slice(2, 8);
    this.rev = fields.rev.value;
    this.saved = this.draft;
    /** @type {Draft[]} Versions without a response. If the server has one of them, there is no conflict. */
    this.sent = [];
    /** @type {DraftConflict | null} */
    this.conflict = null;
    this.unsavedSince = 0; // when the oldest change was made that no request contains yet
    this.retryDelay = 1000;
    this.isSignedOut = false;
    this.isStored = true;
    /** @type {number | undefined} */
    this.storeTimer = undefined;
    // Other pages leave the stored draft of an open page alone.
    navigator.locks?.request(this.key, () => new Promise(() => {}));
    for (const area of [fields.title, fields.content]) {
      area.addEventListener("input", () => this.schedule());
      area.addEventListener("blur", () => this.flush());
    }
    addEventListener("pagehide", () => this.leave());
    addEventListener("beforeunload", (event) => this.isDirty && !this.isStored && event.preventDefault());
    addEventListener("online", () => this.flush());
    document.addEventListener("visibilitychange", () => (document.hidden ? this.leave() : this.comeBack()));
    this.recover();
  }

  /** @returns {Draft} */
  get draft() {
    return { title: this.fields.title.value, content: this.fields.content.value };
  }

  get isDirty() {
    return !isSame(this.draft, this.saved);
  }

  /** @param {string} text */
  showStatus(text) {
    if (this.fields.status.textContent !== text) this.fields.status.textContent = text;
  }

  schedule() {
    this.storeTimer ??= setTimeout(() => this.store(), STORE_DELAY);
    this.unsavedSince ||= Date.now();
    clearTimeout(this.saveTimer);
    if (this.conflict) return;
    if (this.retryTimer) this.showStatus("Saving");
    const delay = Math.min(SAVE_DELAY, this.unsavedSince + MAX_SAVE_DELAY - Date.now());
    this.saveTimer = setTimeout(() => (this.retryTimer ? this.keepHere() : this.flush()), Math.max(0, delay));
  }

  /**
   * Store the draft in this browser while the server does not have it.
   * @param {IDBTransactionDurability} [durability]
   */
  async store(durability = "relaxed") {
    clearTimeout(this.storeTimer);
    this.storeTimer = undefined;
    const { key, draft, rev, sent, isDirty } = this;
    try {
      await onDevice((drafts) => (isDirty ? drafts.put({ key, ...draft, rev, sent }) : drafts.delete(key)), durability);
      this.isStored = true;
    } catch {
      this.isStored = false; // The storage is full or blocked.
    }
  }

  /** Store the draft in this browser, and say so when it is on the disk. */
  async keepHere() {
    const { draft } = this;
    await this.store("strict");
    if (!this.retryTimer || !isSame(draft, this.draft)) return;
    this.showStatus(this.isStored ? "Saved on this device" : "Not saved. Keep this page open.");
  }

  /** Recover the drafts that closed pages left in this browser. */
  async recover() {
    const range = IDBKeyRange.bound(this.prefix, `${this.prefix}~`);
    const drafts = await onDevice((all) => all.getAll(range)).catch(() => []);
    if (drafts.length) (await import("./draft-recovery.js")).recover(this, drafts);
  }

  /**
   * Save what is not saved yet. Return whether the server has it, even if the user types on meanwhile.
   * @param {boolean} [isApart] Save even an unchanged draft, as a version of its own.
   */
  async flush(isApart = false) {
    clearTimeout(this.saveTimer);
    clearTimeout(this.retryTimer);
    this.retryTimer = undefined;
    while (this.saving) await this.saving;
    if (this.conflict) return false;
    if (!this.isDirty && !isApart) {
      this.unsavedSince = 0;
      return true;
    }
    this.saving = this.save(isApart).finally(() => {
      this.saving = undefined;
    });
    const isDone = await this.saving;
    if (isDone && this.isDirty) this.schedule();
    return isDone;
  }

  /** @param {boolean} isApart */
  async save(isApart) {
    const { draft } = this;
    this.unsavedSince = 0;
    this.showStatus("Saving");
    try {
      if (this.isSignedOut) await (await import("./draft-return.js")).renewToken(this);
      return await this.handle(await this.send(draft, isApart), draft);
    } catch {
      return this.retryLater();
    }
  }

  /**
   * @param {Draft} draft
   * @param {boolean} [isApart]
   */
  send(draft, isApart) {
    const body = JSON.stringify({ ...draft, rev: this.rev, apart: isApart ? "1" : "" });
    const keepalive = document.hidden && new TextEncoder().encode(body).length < MAX_KEEPALIVE;
    this.sent = [...this.sent.slice(-4), tidy(draft)];
    return fetch(this.url, { method: "PUT", headers: jsonHeaders(), body, keepalive });
  }

  /**
   * @param {Response} response
   * @param {Draft} draft
   * @returns {Promise<boolean>}
   */
  async handle(response, draft) {
    if (!response.headers.get("Content-Type")?.startsWith("application/json")) return this.refuse(response.status);
    const answer = await response.json();
    if (response.ok) return this.confirm(draft, answer);
    if (response.status !== 409) {
      notify(answer.error, "trouble");
      return this.retryLater();
    }
    if (!this.sent.some((one) => isSame(one, answer))) {
      await this.handlers.onConflict(answer);
      this.conflict = answer;
      this.sent = [];
      this.store();
      this.showStatus("Changed elsewhere");
      return false;
    }
    // The server has an earlier version of this draft, whose response was lost. Saving over it loses no other changes.
    this.rev = answer.rev;
    this.sent = [];
    return this.handle(await this.send(draft), draft);
  }

  /**
   * @param {Draft} draft
   * @param {SavedDraft} saved
   */
  confirm(draft, saved) {
    this.rev = saved.rev;
    this.fields.rev.value = saved.rev;
    this.saved = draft;
    this.sent = [];
    this.retryDelay = 1000;
    this.store();
    this.showStatus(`Saved ${saved.saved}`);
    this.handlers.onSaved(saved);
    return true;
  }

  /** Keep the draft in this browser and try again after a growing delay. */
  retryLater() {
    clearTimeout(this.retryTimer);
    this.retryTimer = setTimeout(() => this.flush(), this.retryDelay);
    this.keepHere();
    this.retryDelay = Math.min(2 * this.retryDelay, MAX_RETRY_DELAY);
    return false;
  }

  /**
   * Handle a response without JSON: the session or its form token has expired, or a proxy failed.
   * @param {number} status
   */
  refuse(status) {
    import("./draft-return.js").then(({ explain }) => explain(this, status)).catch(() => {});
    return this.retryLater();
  }

  /** The page is closed or hidden. */
  leave() {
    this.store();
    if (this.isDirty && this.saving && !this.conflict) this.send(this.draft).catch(() => {});
    else this.flush();
  }

  /** The page is visible again. */
  comeBack() {
    if (this.isDirty || this.saving || this.conflict) this.flush();
    else import("./draft-return.js").then(({ showSaved }) => showSaved(this)).catch(() => {});
  }
}

export function jsonHeaders() {
  return requestHeaders({ ...HTMX, "Content-Type": "application/json" });
}
