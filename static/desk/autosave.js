// Saving by itself. What is typed is on this device at once and on the server soon after; it is forgotten here only when
// the server has it. Nothing is ever written over what somebody else saved: then both texts are shown, and one is chosen.
import { headers, say } from "./app.js";

const SOON = 800; // milliseconds without a key
const LATEST = 15_000; // milliseconds of typing
const LOCAL = 200;
const LONGEST_WAIT = 30_000;
const BEACON = 60_000; // bytes that a browser sends for a page that is gone

/** One line of title and the text, as the server keeps them. */
const tidy = ({ title, content }) => ({ title: title.replace(/\s+/g, " ").trim(), content });
const same = (one, other) => tidy(one).title === tidy(other).title && one.content === other.content;
const HTMX = { "HX-Request": "true", "HX-Request-Type": "partial" }; // so that failures are said as to htmx
const JSON_TOO = { ...HTMX, "Content-Type": "application/json" };

export class Saving {
  /** `fields` are { title, content, rev, status }; `told` is called with each answer, `clash` with one of 409, `put` to
   * put other words into the fields. */
  constructor(post, fields, { told, clash, put }) {
    Object.assign(this, { fields, told, clash, put });
    this.url = `/desk/posts/${post}/draft`;
    this.prefix = `draft ${post} `;
    this.key = this.prefix + Date.now().toString(36) + Math.random().toString(36).slice(2, 8);
    this.rev = fields.rev.value;
    this.saved = this.words();
    this.sent = []; // what was sent and not confirmed: if that is what the server has, there is no conflict
    this.theirs = null; // while there is a conflict, what the server has
    this.since = 0; // when the oldest letter was typed that is not on its way yet
    this.wait = 1000;
    this.isSignedOut = false;
    // Held as long as the page lives: its copies on this device are nobody else's to take up.
    navigator.locks?.request(this.key, () => new Promise(() => {}));
    for (const area of [fields.title, fields.content]) {
      area.addEventListener("input", () => this.changed());
      area.addEventListener("blur", () => this.flush());
    }
    addEventListener("pagehide", () => this.leave());
    addEventListener("online", () => this.flush());
    document.addEventListener("visibilitychange", () => (document.hidden ? this.leave() : this.back()));
    this.recover();
  }

  words() {
    return { title: this.fields.title.value, content: this.fields.content.value };
  }

  get isDirty() {
    return !same(this.words(), this.saved);
  }

  say(text) {
    if (this.fields.status.textContent !== text) this.fields.status.textContent = text;
  }

  changed() {
    this.local ??= setTimeout(() => this.keep(), LOCAL);
    this.since ||= Date.now();
    clearTimeout(this.timer);
    if (this.theirs === null && !this.retry) {
      this.timer = setTimeout(() => this.flush(), Math.max(0, Math.min(SOON, this.since + LATEST - Date.now())));
    }
  }

  // --- on this device ---

  keep() {
    clearTimeout(this.local);
    this.local = null;
    try {
      if (this.isDirty)
        localStorage.setItem(this.key, JSON.stringify({ ...this.words(), rev: this.rev, sent: this.sent }));
      else localStorage.removeItem(this.key);
    } catch {
      /* no room, or not allowed: the server has to do */
    }
  }

  // What pages that are gone left here. The latest is put back: where the server has moved on, that is a conflict like
  // any other. Older ones go into the history.
  async recover() {
    const held = (await navigator.locks?.query())?.held.map((lock) => lock.name) ?? [];
    const keys = Object.keys(localStorage)
      .filter((key) => key.startsWith(this.prefix) && !held.includes(key))
      .sort();
    const left = keys.map((key) => [key, JSON.parse(localStorage.getItem(key))]);
    const [last, words] = left.pop() ?? [];
    for (const [key, older] of left) {
      if ((await this.aside(older).catch(() => null))?.ok) localStorage.removeItem(key);
    }
    if (!last) return;
    if (!same(words, this.saved)) {
      this.sent = words.sent;
      if (!this.sent.some((one) => same(one, this.saved))) this.rev = words.rev;
      this.put(words);
      this.keep();
      say("What was not saved when this page was left is back in the text.");
      this.flush();
    }
    localStorage.removeItem(last);
  }

  // --- on the server ---

  /** Save what is not saved yet. Answers whether the server has all that is here. */
  async flush(apart = false) {
    clearTimeout(this.timer);
    clearTimeout(this.retry);
    this.retry = null;
    while (this.saving) await this.saving;
    if (this.theirs !== null) return false;
    if (!this.isDirty && !apart) {
      this.since = 0;
      return true;
    }
    this.saving = this.save(apart).finally(() => {
      this.saving = null;
    });
    const isDone = await this.saving;
    if (isDone && this.isDirty) this.changed();
    return isDone && !this.isDirty;
  }

  async save(apart) {
    const words = this.words();
    this.since = 0;
    this.say("Saving");
    try {
      if (this.isSignedOut) await this.meet();
      return await this.answered(await this.send(words, apart), words);
    } catch {
      return this.later();
    }
  }

  send(words, apart = false) {
    const body = JSON.stringify({ ...words, rev: this.rev, apart: apart ? "1" : "" });
    const keepalive = document.hidden && new TextEncoder().encode(body).length < BEACON;
    this.sent = [...this.sent.slice(-4), tidy(words)];
    return fetch(this.url, { method: "PUT", headers: headers(JSON_TOO), body, keepalive });
  }

  async answered(response, words) {
    const isOurs = response.headers.get("Content-Type")?.startsWith("application/json");
    if (!isOurs) return this.refused(response.status);
    const answer = await response.json();
    if (response.ok) return this.confirmed(words, answer);
    if (response.status !== 409) {
      say(answer.error, "trouble");
      return this.later();
    }
    if (!this.sent.some((one) => same(one, answer))) return this.clashed(answer);
    // The answer to what was sent before was lost. The server has it, so that going on from there overwrites nobody.
    this.rev = answer.rev;
    this.sent = [];
    return this.answered(await this.send(words), words);
  }

  confirmed(words, answer) {
    this.rev = this.fields.rev.value = answer.rev;
    this.saved = words;
    this.sent = [];
    this.wait = 1000;
    this.keep();
    this.say(`Saved ${answer.saved}`);
    this.told(answer);
    return true;
  }

  clashed(answer) {
    this.theirs = answer;
    this.sent = [];
    this.keep();
    this.say("Changed elsewhere");
    this.clash(answer);
    return false;
  }

  /** Go on from a conflict: with mine, with theirs. The other one is in the history. Answers whether that is done. */
  async settle(isMine) {
    const { theirs } = this;
    if (isMine) {
      this.rev = theirs.rev;
      this.theirs = null;
      return this.flush(true);
    }
    const response = await this.aside(this.words()).catch(() => null);
    if (!response?.ok) return this.later();
    const answer = await response.json();
    this.theirs = null;
    this.put(answer);
    return this.confirmed(this.words(), answer);
  }

  aside(words) {
    const body = JSON.stringify({ ...tidy(words), keep: "theirs" });
    return fetch(this.url.replace(/draft$/, "settle"), { method: "POST", headers: headers(JSON_TOO), body });
  }

  // Not now: it is on this device, and is tried again, after longer and longer.
  later() {
    this.keep();
    this.say("Saved on this device");
    clearTimeout(this.retry);
    this.retry = setTimeout(() => this.flush(), this.wait);
    this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
    return false;
  }

  // No answer of ours: the session has ended, or its form token has, or something stands in between.
  refused(status) {
    if (status === 404) say("This post is not there any more. What you write stays on this device.", "trouble");
    if ((status === 401 || status === 422) && !this.isSignedOut) {
      this.isSignedOut = true;
      say("Your session has ended. What you write stays on this device: ", "trouble");
      const link = Object.assign(document.createElement("a"), {
        href: "/login",
        target: "_blank",
        textContent: "sign in again in a new tab",
      });
      document.querySelector("#notices p").append(link, ", and it is saved.");
    }
    return this.later();
  }

  // Whoever signs in again has another form token.
  async meet() {
    const response = await fetch(this.url, { headers: HTMX });
    if (!response.ok) throw new Error("still signed out");
    const { token } = await response.json();
    document.body.setAttribute("hx-headers:inherited", JSON.stringify(headers({ "X-CSRFToken": token })));
    for (const field of document.querySelectorAll("[name=csrf_token]")) field.value = token;
    document.getElementById("notices").replaceChildren();
    this.isSignedOut = false;
  }

  // The page goes, or is put behind another: it says what it has.
  leave() {
    this.keep();
    if (this.isDirty && this.saving && this.theirs === null) this.send(this.words()).catch(() => {});
    else this.flush();
  }

  // The page is looked at again. If it has nothing of its own, it shows what was saved meanwhile.
  async back() {
    if (this.isDirty || this.saving || this.theirs !== null) return void this.flush();
    const response = await fetch(this.url, { headers: HTMX }).catch(() => null);
    if (!response?.ok || this.isDirty) return;
    const answer = await response.json();
    if (answer.rev === this.rev) return;
    if (!same(answer, this.saved)) this.put(answer);
    this.confirmed(this.words(), answer);
  }
}
