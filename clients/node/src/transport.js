/** Builds requests, sends them with retries, and decodes the responses. */

import { Attempt } from "./attempt.js";
import { encodeJson, encodePath, encodeQuery } from "./encode.js";
import { APIError, BlogsvcError, ConfigurationError, ConnectionError, NotFoundError } from "./errors.js";
import { encodeForm } from "./multipart.js";
import { checkCount, checkSeconds, definedOptions } from "./options.js";
import { Page } from "./page.js";
import { pagePromise } from "./page-promise.js";
import { decodeResponse } from "./response.js";
import { isLost, retryDelay } from "./retries.js";
import { isInBrowser, userAgent, uuid } from "./runtime.js";
import { streamEvents } from "./stream.js";
import { sleep } from "./timeout.js";

/**
 * @typedef {object} Request A request as a resource method builds it.
 * @property {"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} method
 * @property {readonly (string | number)[]} path the path segments, including ids
 * @property {Record<string, any>} [query]
 * @property {object} [body] the JSON body
 * @property {Record<string, any>} [form] the form fields of an upload, besides the file
 * @property {readonly string[]} [accepts] the options of this operation, besides the common ones
 */

const COMMON_OPTIONS = ["timeout", "maxRetries", "retryFor", "signal"];

export class Transport {
  // Contains the API key. Private fields appear neither in inspections nor in JSON.
  #options;

  /** @param {import("./options.js").ResolvedOptions} options */
  constructor(options) {
    this.#options = options;
  }

  /**
   * Sends a request and resolves to the document, or to null if the response has none.
   *
   * @param {Request} request
   * @returns {Promise<any>}
   */
  async send(request, options = {}) {
    const prepared = this.#prepare(request, options, await createHeaders(request, options));
    return this.#sendDecoded(prepared);
  }

  /**
   * Sends the request for the first page of a list.
   *
   * @param {Request} request
   * @returns {any}
   */
  list(request, options) {
    const page = async (query) => {
      const document = await this.send({ ...request, query }, options);
      return new Page(document, (cursor) => page({ ...query, cursor }));
    };
    return pagePromise(page(request.query));
  }

  /**
   * Sends a form with a file and resolves to the document.
   *
   * @param {unknown} file
   * @param {Request} request
   * @param {import("./types.js").UploadOptions} [options]
   * @returns {Promise<any>}
   */
  async upload(file, request, { filename, ...options } = {}) {
    const headers = await createHeaders(request, options);
    const { type, bytes } = await encodeForm(file, filename, request.form ?? {});
    headers["Content-Type"] = type;
    return this.#sendDecoded(this.#prepare(request, options, headers, bytes));
  }

  /**
   * Returns an endless iterator over the events of a stream.
   *
   * @param {Request} request
   * @returns {any}
   */
  stream(request, options) {
    return streamEvents(this, request, options);
  }

  /**
   * Opens a stream and resolves to the attempt whose response is the stream.
   *
   * @param {Request} request
   * @param {object} [options]
   * @param {string | null} [lastEventId]
   */
  async open(request, options = {}, lastEventId = null) {
    const headers = { ...(await createHeaders(request, options)), Accept: "text/event-stream" };
    // CORS would have to allow the header Last-Event-ID, so a browser sends the query parameter `after` instead.
    const query = lastEventId !== null && isInBrowser() ? { ...request.query, after: lastEventId } : request.query;
    if (lastEventId !== null && !isInBrowser()) headers["Last-Event-ID"] = lastEventId;
    return this.#sendWithRetries(this.#prepare({ ...request, query }, options, headers), openStream);
  }

  /**
   * Logs that the connection of an open stream was lost.
   *
   * @param {Attempt} attempt
   * @param {ConnectionError} error
   * @param {number} retryIn
   */
  logDisconnect(attempt, error, retryIn) {
    this.#log(attempt.request, 1, null, error, performance.now() - attempt.startedAt, retryIn);
  }

  async #sendDecoded(prepared) {
    const response = await this.#sendWithRetries(prepared, fetchDocument);
    return response?.document ?? null;
  }

  /**
   * @param {Request} request
   * @param {import("./types.js").PublishOptions} options
   * @param {Record<string, string>} headers
   * @param {BodyInit} [body]
   * @returns {import("./attempt.js").PreparedRequest}
   */
  #prepare(request, options, headers, body = jsonBody(request)) {
    const { apiKey, baseUrl, ...defaults } = this.#options;
    const { timeout, maxRetries, retryFor } = { ...defaults, ...definedOptions(options) };
    checkSeconds("timeout", timeout);
    checkCount("maxRetries", maxRetries);
    checkSeconds("retryFor", retryFor);
    const query = { ...request.query, dryRun: options.dryRun };
    const url = `${baseUrl}/api/v1${encodePath(request.path)}${encodeQuery(query)}`;
    return {
      fetch: defaults.fetch,
      method: request.method,
      url,
      path: url.slice(new URL(url).origin.length),
      init: {
        method: request.method,
        headers: checkedHeaders({ ...headers, Authorization: `Bearer ${apiKey}` }),
        body,
        redirect: "manual",
        credentials: "omit",
        cache: "no-store",
      },
      // The server may use the seconds of `wait` before it responds.
      timeout: timeout + (options.wait ?? 0),
      maxRetries,
      maxRetryWait: defaults.maxRetryWait,
      retryFor,
      signal: options.signal,
      hasIfMatch: "If-Match" in headers,
      hasIfNoneMatch: "If-None-Match" in headers,
    };
  }

  /**
   * Resolves to the result of the first successful attempt, or to null for a DELETE that a lost attempt carried out.
   *
   * @param {import("./attempt.js").PreparedRequest} request
   * @param {(request: import("./attempt.js").PreparedRequest) => Promise<any>} send
   */
  async #sendWithRetries(request, send) {
    const firstStartedAt = performance.now();
    let mayBeDone = false;
    for (let number = 1; ; number += 1) {
      const startedAt = performance.now();
      const { result, error } = await settle(send(request));
      const elapsed = (performance.now() - firstStartedAt) / 1000;
      const retryIn = result ? null : retryDelay(error, number, elapsed, request);
      this.#log(request, number, result, error, performance.now() - startedAt, retryIn);
      if (result) return result;
      if (mayBeDone && request.method === "DELETE" && error instanceof NotFoundError) return null;
      if (retryIn === null) throw withIdempotencyKey(error, request);
      mayBeDone ||= isLost(error);
      await sleep(retryIn, request.signal);
    }
  }

  #log(request, attempt, result, error, milliseconds, retryIn) {
    const response = result ?? (error instanceof APIError ? error : null);
    this.#options.log?.({
      method: request.method,
      path: request.path,
      attempt,
      status: response?.status ?? null,
      error: response ? null : (error?.name ?? String(error)),
      milliseconds: Math.round(milliseconds),
      requestId: response?.headers.get("X-Request-Id") ?? null,
      retryIn,
    });
  }
}

/** Resolves to the result or the error of a promise. The error may be any value, as the reason of a signal may be. */
async function settle(promise) {
  try {
    return { result: await promise };
  } catch (error) {
    return { error };
  }
}

/** Returns the error with the idempotency key of its request. The reason of a signal stays as it is. */
function withIdempotencyKey(error, { init }) {
  const idempotencyKey = init.headers.get("Idempotency-Key");
  return error instanceof BlogsvcError ? Object.assign(error, { idempotencyKey }) : error;
}

function jsonBody(request) {
  return "body" in request ? encodeJson(request.body ?? {}) : undefined;
}

/** Sends one attempt and reads the whole response. */
async function fetchDocument(request) {
  const attempt = await Attempt.send(request);
  const { status, headers } = attempt;
  const text = await attempt.text();
  return { status, headers, document: decodeResponse({ status, headers, text }, request.hasIfNoneMatch) };
}

/** Sends one attempt and resolves as soon as the stream is open. */
async function openStream(request) {
  const attempt = await Attempt.send(request);
  const { status, headers } = attempt;
  if (status === 200 && headers.get("Content-Type")?.startsWith("text/event-stream")) return attempt;
  decodeResponse({ status, headers, text: await attempt.text() }, false);
  throw new APIError({ status, headers }, {}, "The response is not an event stream.");
}

/**
 * Returns the headers of a request, without the API key.
 *
 * @param {Request} request
 * @returns {Promise<Record<string, string>>}
 */
async function createHeaders(request, options = {}) {
  const { method, accepts = [] } = request;
  const given = definedOptions(options);
  checkNames(given, [...COMMON_OPTIONS, ...accepts, ...(method === "POST" ? ["idempotencyKey"] : [])]);
  const { idempotencyKey = method === "POST" ? await uuid() : undefined, ifMatch, ifNoneMatch, wait } = given;
  // Sending no If-Match would silently remove the protection that the caller asked for.
  if (ifMatch === null) throw new ConfigurationError("`ifMatch` is null: the earlier response had no ETag.");
  return definedOptions({
    Accept: "application/json",
    "Content-Type": "body" in request ? "application/json" : undefined,
    "User-Agent": userAgent(),
    "Idempotency-Key": idempotencyKey,
    "If-Match": ifMatch,
    "If-None-Match": ifNoneMatch ?? undefined,
    Prefer: wait === undefined ? undefined : `wait=${wait}`,
  });
}

/** Throws if an option is unknown, since ignoring it would hide the mistake. */
function checkNames(options, accepted) {
  const unknown = Object.keys(options).find((name) => !accepted.includes(name));
  if (unknown) throw new ConfigurationError(`Unknown option \`${unknown}\`. Valid options: ${accepted.join(", ")}.`);
}

/** Creates Headers here, since an invalid value would make fetch fail as if the connection were lost. */
function checkedHeaders(headers) {
  try {
    return new Headers(headers);
  } catch {
    throw new ConfigurationError("An option contains a character that is not allowed in a header.");
  }
}
