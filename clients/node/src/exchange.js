/** One request, sent once, and its answer as it comes. */

import { ConnectionError, TimeoutError } from "./errors.js";
import { Watch } from "./watch.js";

// Where these end an attempt, no connection stood yet.
const NEVER_SENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]);

/**
 * @typedef {object} Call A request that is ready to be sent, as often as it takes.
 * @property {typeof globalThis.fetch} fetch
 * @property {string} method
 * @property {string} url
 * @property {string} path that of the URL, with its query
 * @property {RequestInit} init
 * @property {number} timeout
 * @property {number} maxRetries
 * @property {number} maxRetryWait
 * @property {AbortSignal | undefined} signal the caller's
 * @property {boolean} isGuarded it has an If-Match
 * @property {boolean} isConditional it has an If-None-Match
 */

export class Exchange {
  #response;
  #watch;

  /**
   * @param {Call} call
   * @param {Response} response
   * @param {Watch} watch
   */
  constructor(call, response, watch) {
    this.call = call;
    this.#response = response;
    this.#watch = watch;
    this.status = response.status;
    this.headers = response.headers;
    this.began = performance.now();
  }

  /**
   * Resolves when the head of the answer is there. Read all of its body then, or close it.
   *
   * @param {Call} call
   */
  static async begin(call) {
    const watch = new Watch(call.timeout, call.signal);
    // Called by itself: that of browsers wants to be no method.
    const { fetch } = call;
    try {
      watch.signal.throwIfAborted();
      const response = await fetch(call.url, { ...call.init, signal: watch.signal });
      watch.pause();
      return new Exchange(call, response, watch);
    } catch (error) {
      watch.stop();
      throw noAnswer(call, watch, error);
    }
  }

  /** The whole body. */
  async text() {
    let text = "";
    for await (const part of this.parts()) text += part;
    return text;
  }

  /**
   * The body as it comes; leaving the loop closes the connection.
   *
   * @param {number} [silence] after so many seconds without a word it is broken
   */
  async *parts(silence = this.call.timeout) {
    const decoder = new TextDecoder();
    const reader = this.#response.body?.getReader();
    try {
      for (;;) {
        // Only while it is waited for: who takes long over a part has not lost the connection.
        this.#watch.restart(silence);
        const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
        this.#watch.pause();
        if (done) break;
        yield decoder.decode(value, { stream: true });
      }
    } catch (error) {
      throw noAnswer(this.call, this.#watch, error);
    } finally {
      this.close();
    }
  }

  close() {
    this.#watch.abort();
  }
}

/** What to throw where an attempt ended in an error: the caller's reason, where it was theirs. */
function noAnswer(call, watch, cause) {
  if (watch.isAborted && !watch.isOver) return call.signal?.reason ?? cause;
  const what = `No answer to ${call.method} ${call.path}`;
  const wasSent = watch.isOver || !NEVER_SENT.has(cause?.cause?.code);
  const hint = call.isGuarded && wasSent ? " It may have been done; with an If-Match it is not sent again." : "";
  if (watch.isOver) return new TimeoutError(`${what} within ${watch.seconds} s.${hint}`);
  return new ConnectionError(`${what}: ${reasonOf(cause)}.${hint}`, { cause, wasSent });
}

/** The innermost words; `fetch failed` alone would say nothing. */
function reasonOf(error) {
  const inner = error?.cause ?? error;
  return inner?.message || inner?.code || String(error);
}
