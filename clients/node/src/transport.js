/** How a request is made, sent, tried again and answered. */

import { answerOf } from "./answers.js";
import { APIError, ConfigurationError, ConnectionError, NotFoundError } from "./errors.js";
import { Exchange } from "./exchange.js";
import { jsonText, pathOf, queryString } from "./fields.js";
import { listing } from "./listing.js";
import { Page } from "./page.js";
import { pauseAfter } from "./retries.js";
import { isInBrowser, userAgent, uuid } from "./runtime.js";
import { checkCount, checkSeconds, defined } from "./settings.js";
import { streamed } from "./stream.js";
import { encodedForm } from "./uploads.js";
import { sleep } from "./watch.js";

/**
 * @typedef {object} Request What a method of a resource asks for.
 * @property {"GET" | "POST" | "PATCH" | "DELETE"} method
 * @property {readonly (string | number)[]} path its parts, ids among them
 * @property {Record<string, any>} [query]
 * @property {object} [body] goes as JSON
 * @property {Record<string, any>} [form] goes beside the file of an upload
 * @property {readonly string[]} [takes] the options that this operation has, beside those that all have
 */

const COMMON_OPTIONS = ["timeout", "maxRetries", "signal"];

export class Transport {
  // It holds the key, which nothing that shows an object shows of a private field.
  #settings;

  /** @param {import("./settings.js").Settings} settings */
  constructor(settings) {
    this.#settings = settings;
  }

  /**
   * The answer; null where there is none.
   *
   * @param {Request} request
   * @returns {Promise<any>}
   */
  async send(request, options = {}) {
    const call = this.#call(request, options, await headersOf(request, options));
    return this.#answered(call);
  }

  /**
   * The pages of a list, the first of which is asked for now.
   *
   * @param {Request} request
   * @returns {any}
   */
  list(request, options) {
    const page = async (query) => {
      const answer = await this.send({ ...request, query }, options);
      return new Page(answer, (cursor) => page({ ...query, cursor }));
    };
    return listing(page(request.query));
  }

  /**
   * The answer to a form with a file in it.
   *
   * @param {unknown} file
   * @param {Request} request
   * @param {import("./types.js").UploadOptions} [options]
   * @returns {Promise<any>}
   */
  async upload(file, request, { filename, ...options } = {}) {
    const headers = await headersOf(request, options);
    const { type, bytes } = await encodedForm(file, filename, request.form ?? {});
    headers["Content-Type"] = type;
    return this.#answered(this.#call(request, options, headers, bytes));
  }

  /**
   * The events of a stream, for ever.
   *
   * @param {Request} request
   * @returns {any}
   */
  stream(request, options) {
    return streamed(this, request, options);
  }

  /**
   * A stream that has begun.
   *
   * @param {Request} request
   * @param {object} [options]
   * @param {string | null} [lastEventId]
   */
  async open(request, options = {}, lastEventId = null) {
    const headers = { ...(await headersOf(request, options)), Accept: "text/event-stream" };
    // Another origin's page would first have to be allowed to send this header; `after` says the same.
    const again = lastEventId !== null && isInBrowser() ? { ...request.query, after: lastEventId } : request.query;
    if (lastEventId !== null && !isInBrowser()) headers["Last-Event-ID"] = lastEventId;
    return this.#retried(this.#call({ ...request, query: again }, options, headers), begun);
  }

  /**
   * Tells the log of a stream that broke off after it had begun.
   *
   * @param {Exchange} exchange
   * @param {ConnectionError} error
   * @param {number} retryIn
   */
  logBroken(exchange, error, retryIn) {
    this.#log(exchange.call, 1, null, error, performance.now() - exchange.began, retryIn);
  }

  async #answered(call) {
    const received = await this.#retried(call, whole);
    return received ? received.answer : null;
  }

  /**
   * @param {Request} request
   * @param {import("./types.js").PublishOptions} options
   * @param {Record<string, string>} headers
   * @param {BodyInit} [body]
   * @returns {import("./exchange.js").Call}
   */
  #call(request, options, headers, body = bodyOf(request)) {
    const { apiKey, baseUrl, ...settings } = this.#settings;
    const { timeout = settings.timeout, maxRetries = settings.maxRetries, signal } = options;
    checkSeconds("timeout", timeout);
    checkCount("maxRetries", maxRetries);
    const url = `${baseUrl}/api/v1${pathOf(request.path)}${queryString(request.query ?? {})}`;
    return {
      fetch: settings.fetch,
      method: request.method,
      url,
      path: url.slice(new URL(url).origin.length),
      init: {
        method: request.method,
        headers: sendable({ ...headers, Authorization: `Bearer ${apiKey}` }),
        body,
        redirect: "manual",
        credentials: "omit",
        cache: "no-store",
      },
      // What the server is asked to wait for comes on top.
      timeout: timeout + (options.wait ?? 0),
      maxRetries,
      maxRetryWait: settings.maxRetryWait,
      signal,
      isGuarded: "If-Match" in headers,
      isConditional: "If-None-Match" in headers,
    };
  }

  /**
   * What the first attempt that succeeds comes to; null for a DELETE that an earlier attempt had done.
   *
   * @param {import("./exchange.js").Call} call
   * @param {(call: import("./exchange.js").Call) => Promise<any>} attempt
   */
  async #retried(call, attempt) {
    let mayBeDone = false;
    for (let number = 1; ; number += 1) {
      const began = performance.now();
      const { received, error } = await outcome(attempt(call));
      const retryIn = received ? null : pauseAfter(error, number, call);
      this.#log(call, number, received, error, performance.now() - began, retryIn);
      if (received) return received;
      if (mayBeDone && call.method === "DELETE" && error instanceof NotFoundError) return null;
      if (retryIn === null) throw error;
      mayBeDone ||= error instanceof ConnectionError && error.wasSent;
      await sleep(retryIn, call.signal);
    }
  }

  #log(call, attempt, received, error, milliseconds, retryIn) {
    const answer = received ?? (error instanceof APIError ? error : null);
    this.#settings.log?.({
      method: call.method,
      path: call.path,
      attempt,
      status: answer ? answer.status : null,
      error: answer ? null : (error?.name ?? String(error)),
      milliseconds: Math.round(milliseconds),
      requestId: answer ? answer.headers.get("X-Request-Id") : null,
      retryIn,
    });
  }
}

/** What a promise comes to; an error may be anything, as a signal may be told anything for a reason. */
async function outcome(promise) {
  try {
    return { received: await promise };
  } catch (error) {
    return { error };
  }
}

function bodyOf(request) {
  return "body" in request ? jsonText(request.body ?? {}) : undefined;
}

/** An attempt whose whole answer is there. */
async function whole(call) {
  const exchange = await Exchange.begin(call);
  const { status, headers } = exchange;
  const text = await exchange.text();
  return { status, headers, answer: answerOf({ status, headers, text }, call.isConditional) };
}

/** An attempt at a stream, which has only begun when it succeeds. */
async function begun(call) {
  const exchange = await Exchange.begin(call);
  const { status, headers } = exchange;
  if (status === 200 && headers.get("Content-Type")?.startsWith("text/event-stream")) return exchange;
  answerOf({ status, headers, text: await exchange.text() }, false);
  throw new APIError({ status, headers }, {}, "The answer is a document instead of a stream of events.");
}

/**
 * The headers of a request but for its key.
 *
 * @param {Request} request
 * @returns {Promise<Record<string, string>>}
 */
async function headersOf(request, options = {}) {
  const { method, takes = [] } = request;
  const given = defined(options);
  checkNames(given, [...COMMON_OPTIONS, ...takes, ...(method === "POST" ? ["idempotencyKey"] : [])]);
  const { idempotencyKey = method === "POST" ? await uuid() : undefined, ifMatch, ifNoneMatch, wait } = given;
  // Without it, what was to be guarded would not be.
  if (ifMatch === null) throw new ConfigurationError("`ifMatch` is null: that answer had no ETag.");
  return defined({
    Accept: "application/json",
    "Content-Type": "body" in request ? "application/json" : undefined,
    "User-Agent": userAgent(),
    "Idempotency-Key": idempotencyKey,
    "If-Match": ifMatch,
    "If-None-Match": ifNoneMatch ?? undefined,
    Prefer: wait === undefined ? undefined : `wait=${wait}`,
  });
}

/** Refuses options that an operation has not; passed over, they would seem to have been understood. */
function checkNames(options, taken) {
  const strange = Object.keys(options).find((name) => !taken.includes(name));
  if (strange) throw new ConfigurationError(`There is no option \`${strange}\` here; there are ${taken.join(", ")}.`);
}

/** As fetch wants them; it would take what cannot be in a header for a lost connection. */
function sendable(headers) {
  try {
    return new Headers(headers);
  } catch {
    throw new ConfigurationError("An option holds a character that no header can hold.");
  }
}
