/** One attempt to send a request, and its response as it arrives. */

import { ConnectionError, TimeoutError } from "./errors.js";
import { Timeout } from "./timeout.js";

// Error codes of attempts that never had a connection.
const UNSENT_CODES = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]);

/**
 * @typedef {object} PreparedRequest A request that can be sent any number of times.
 * @property {typeof globalThis.fetch} fetch
 * @property {string} method
 * @property {string} url
 * @property {string} path the path of the URL with its query
 * @property {RequestInit} init
 * @property {number} timeout
 * @property {number} maxRetries
 * @property {number} maxRetryWait
 * @property {number} retryFor
 * @property {AbortSignal | undefined} signal the signal of the caller
 * @property {boolean} hasIfMatch
 * @property {boolean} hasIfNoneMatch
 */

export class Attempt {
  #response;
  #timeout;

  /**
   * @param {PreparedRequest} request
   * @param {Response} response
   * @param {Timeout} timeout
   */
  constructor(request, response, timeout) {
    this.request = request;
    this.#response = response;
    this.#timeout = timeout;
    this.status = response.status;
    this.headers = response.headers;
    this.startedAt = performance.now();
  }

  /**
   * Sends the request. Resolves when status and headers have arrived; then read the whole body, or close it.
   *
   * @param {PreparedRequest} request
   */
  static async send(request) {
    const timeout = new Timeout(request.timeout, request.signal);
    // Browsers require that `fetch` is not called as a method.
    const { fetch } = request;
    try {
      timeout.signal.throwIfAborted();
      const response = await fetch(request.url, { ...request.init, signal: timeout.signal });
      timeout.pause();
      return new Attempt(request, response, timeout);
    } catch (error) {
      timeout.stop();
      throw connectionError(request, timeout, error);
    }
  }

  /** Returns the whole body. */
  async text() {
    let text = "";
    for await (const chunk of this.chunks()) text += chunk;
    return text;
  }

  /**
   * Yields the body as it arrives. Leaving the loop closes the connection.
   *
   * @param {number} [idleSeconds] the longest time between two chunks
   */
  async *chunks(idleSeconds = this.request.timeout) {
    const decoder = new TextDecoder();
    const reader = this.#response.body?.getReader();
    try {
      for (;;) {
        // The timer runs only during the read, so that a slow consumer does not cause a timeout.
        this.#timeout.restart(idleSeconds);
        const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
        this.#timeout.pause();
        if (done) break;
        yield decoder.decode(value, { stream: true });
      }
    } catch (error) {
      throw connectionError(this.request, this.#timeout, error);
    } finally {
      this.close();
    }
  }

  close() {
    this.#timeout.abort();
  }
}

// The server may have made the change, and a retry would fail because of it.
const IF_MATCH_HINT =
  " The server may have made the change. A request with ifMatch is not retried: fetch the resource to see its state.";

/** Returns what to throw after a failed attempt: the signal's reason if the caller aborted it. */
function connectionError(request, timeout, cause) {
  if (timeout.isAborted && !timeout.isExpired) return request.signal?.reason ?? cause;
  const message = `No response to ${request.method} ${request.path}`;
  const wasSent = timeout.isExpired || !UNSENT_CODES.has(cause?.cause?.code);
  const hint = request.hasIfMatch && wasSent ? IF_MATCH_HINT : "";
  if (timeout.isExpired) return new TimeoutError(`${message} within ${timeout.seconds} s.${hint}`);
  return new ConnectionError(`${message}: ${innermostMessage(cause)}.${hint}`, { cause, wasSent });
}

/** Returns the message of the cause, since `fetch failed` alone says nothing. */
function innermostMessage(error) {
  const inner = error?.cause ?? error;
  return inner?.message || inner?.code || String(error);
}
