// @ts-check
// Autosave. Every change is stored in this browser at once and on the server soon after, and stays in the browser until
// the server confirms it. A save never overwrites somebody else's changes: the user sees both versions and chooses.
import { notify, requestHeaders } from "./app.js";

const SAVE_DELAY = 800; // milliseconds after the last key
const MAX_SAVE_DELAY = 15_000; // milliseconds of typing
const STORE_DELAY = 200;
const MAX_RETRY_DELAY = 30_000;
const MAX_KEEPALIVE = 60_000; // bytes that a browser sends for a closed page

const HTMX = { "HX-Request": "true", "HX-Request-Type": "partial" }; // so that errors come as for htmx

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
    /** @type {number | undefined} */
    this.storeTimer = undefined;
    // Other pages leave the stored draft of an open page alone.
    navigator.locks?.request(this.key, () => new Promise(() => {}));
    for (const area of [fields.title, fields.content]) {
      area.addEventListener("input", () => this.schedule());
      area.addEventListener("blur", () => this.flush());
    }
    addEventListener("pagehide", () => this.leave());
    addEventListener("online", () => this.flush());
    document.addEventListener("visibilitychange", () => (document.hidden ? this.leave() : this.refresh()));
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
    if (this.conflict || this.retryTimer) return;
    const delay = Math.min(SAVE_DELAY, this.unsavedSince + MAX_SAVE_DELAY - Date.now());
    this.saveTimer = setTimeout(() => this.flush(), Math.max(0, delay));
  }

  /** Store the draft in this browser while the server does not have it. */
  store() {
    clearTimeout(this.storeTimer);
    this.storeTimer = undefined;
    try {
      if (this.isDirty)
        localStorage.setItem(this.key, JSON.stringify({ ...this.draft, rev: this.rev, sent: this.sent }));
      else localStorage.removeItem(this.key);
    } catch {
      // Storage is full or blocked. The server is the only copy.
    }
  }

  /** Recover the drafts that closed pages left in this browser. */
  async recover() {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(this.prefix));
    if (keys.length) (await import("./draft-recovery.js")).recover(this, keys);
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
      if (this.isSignedOut) await this.renewToken();
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
    this.store();
    this.showStatus("Saved on this device");
    clearTimeout(this.retryTimer);
    this.retryTimer = setTimeout(() => this.flush(), this.retryDelay);
    this.retryDelay = Math.min(2 * this.retryDelay, MAX_RETRY_DELAY);
    return false;
  }

  /**
   * Handle a response without JSON: the session or its form token has expired, or a proxy failed.
   * @param {number} status
   */
  refuse(status) {
    if (status === 404) notify("This post no longer exists. Your text is kept on this device.", "trouble");
    if ((status === 401 || status === 422) && !this.isSignedOut) {
      this.isSignedOut = true;
      notify("Your session has ended. Your text is kept on this device. To save it, ", "trouble");
      const link = document.createElement("a");
      Object.assign(link, { href: "/login", target: "_blank", textContent: "sign in again in a new tab" });
      document.querySelector("#notices button")?.before(link, ". ");
    }
    return this.retryLater();
  }

  /** Get the form token of a new session after signing in again. */
  async renewToken() {
    const response = await fetch(this.url, { headers: HTMX });
    if (!response.ok) throw new Error("Still signed out");
    const { token } = await response.json();
    document.body.setAttribute("hx-headers:inherited", JSON.stringify(requestHeaders({ "X-CSRFToken": token })));
    /** @type {NodeListOf<HTMLInputElement>} */
    const inputs = document.querySelectorAll("[name=csrf_token]");
    for (const input of inputs) input.value = token;
    document.getElementById("notices")?.replaceChildren();
    this.isSignedOut = false;
  }

  /** Save when the page is closed or hidden. */
  leave() {
    this.store();
    if (this.isDirty && this.saving && !this.conflict) this.send(this.draft).catch(() => {});
    else this.flush();
  }

  /** Show what was saved elsewhere when the page is visible again, unless this page has changes of its own. */
  async refresh() {
    if (this.isDirty || this.saving || this.conflict) {
      this.flush();
      return;
    }
    const response = await fetch(this.url, { headers: HTMX }).catch(() => null);
    if (!response?.ok || this.isDirty) return;
    const answer = await response.json();
    if (answer.rev === this.rev) return;
    if (!isSame(answer, this.saved)) this.handlers.setDraft(answer);
    this.confirm(this.draft, answer);
  }
}

export function jsonHeaders() {
  return requestHeaders({ ...HTMX, "Content-Type": "application/json" });
}
