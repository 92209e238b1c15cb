/** Validates the options of a client and fills in the defaults. */

import { ConfigurationError } from "./errors.js";
import { environment } from "./runtime.js";

const DEFAULTS = { timeout: 60, maxRetries: 4, maxRetryWait: 60, retryFor: 0, allowHttp: false };
const PREFIX = "/api/v1";
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * @typedef {object} ResolvedOptions
 * @property {string} apiKey
 * @property {string} baseUrl without `/api/v1` and a trailing slash
 * @property {number} timeout
 * @property {number} maxRetries
 * @property {number} maxRetryWait
 * @property {number} retryFor
 * @property {boolean} allowHttp
 * @property {((entry: import("./types.js").LogEntry) => void) | undefined} log
 * @property {typeof globalThis.fetch} fetch
 */

/**
 * @param {import("./types.js").ClientOptions} options
 * @returns {ResolvedOptions}
 */
export function resolveOptions(options) {
  /** @type {any} */
  const resolved = { ...DEFAULTS, log: undefined, fetch: currentFetch, ...definedOptions(options) };
  checkSeconds("timeout", resolved.timeout);
  checkCount("maxRetries", resolved.maxRetries);
  checkSeconds("maxRetryWait", resolved.maxRetryWait);
  checkSeconds("retryFor", resolved.retryFor);
  return Object.freeze({
    ...resolved,
    apiKey: checkKey(resolved.apiKey ?? environment("BLOGSVC_API_KEY")),
    baseUrl: normalizeUrl(resolved.baseUrl ?? environment("BLOGSVC_URL"), resolved.allowHttp),
  });
}

const NAMES = ["apiKey", "baseUrl", ...Object.keys(DEFAULTS), "log", "fetch"];

/**
 * Throws a TypeError unless the value is an object of known options. An API key or a URL that is given, but undefined, is
 * an error: otherwise a missing variable would select the key or the server of the environment.
 */
export function checkOptions(options) {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new TypeError(`The options must be an object, not ${typeName(options)}.`);
  }
  for (const name of Object.keys(options)) {
    if (!NAMES.includes(name)) throw new TypeError(`There is no option \`${name}\`. Options: ${NAMES.join(", ")}.`);
  }
  for (const name of ["apiKey", "baseUrl"]) {
    if (name in options && typeof options[name] !== "string") {
      throw new TypeError(`\`${name}\` must be a string, not ${typeName(options[name])}.`);
    }
  }
}

/** Returns the name of the type of a value for messages, which never show the value: it may be a secret. */
export function typeName(value) {
  return value === null ? "null" : Array.isArray(value) ? "an array" : typeof value;
}

/** Returns the options without those that are undefined. */
export function definedOptions(options) {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/** Throws unless the value is a number of seconds. */
export function checkSeconds(name, value) {
  if (!(typeof value === "number" && value >= 0)) {
    throw new ConfigurationError(`\`${name}\` must be a number of seconds, not ${String(value)}.`);
  }
}

/** Throws unless the value is a count or `Infinity`. */
export function checkCount(name, value) {
  if (!(Number.isInteger(value) || value === Infinity) || value < 0) {
    throw new ConfigurationError(`\`${name}\` must be an integer of 0 or more, not ${String(value)}.`);
  }
}

// Looks up the global `fetch` at each call, since tests replace it.
function currentFetch(url, init) {
  return globalThis.fetch(url, init);
}

function checkKey(apiKey) {
  if (!apiKey) throw new ConfigurationError("No API key. Pass `apiKey` or set BLOGSVC_API_KEY.");
  if (typeof apiKey !== "string" || !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new ConfigurationError("The API key contains an invalid character, such as a space or a line break.");
  }
  return apiKey;
}

function normalizeUrl(baseUrl, allowHttp) {
  if (!baseUrl) throw new ConfigurationError("No URL. Pass `baseUrl` or set BLOGSVC_URL.");
  const url = parseUrl(baseUrl);
  if (url.username || url.password || url.search || url.hash) {
    throw new ConfigurationError("`baseUrl` must not have a user name, a query or a fragment.");
  }
  if (url.protocol === "http:" && !allowHttp && !LOOPBACK.test(url.hostname)) {
    throw new ConfigurationError(
      `${url.origin} uses plain HTTP, which sends the API key unencrypted. Use https, or pass \`allowHttp\`.`,
    );
  }
  const path = url.pathname.replace(/\/+$/, "");
  return url.origin + (path.endsWith(PREFIX) ? path.slice(0, -PREFIX.length) : path);
}

function parseUrl(baseUrl) {
  try {
    const url = new URL(baseUrl);
    if (url.protocol === "https:" || url.protocol === "http:") return url;
  } catch {
    // Reported below.
  }
  throw new ConfigurationError("`baseUrl` must be a URL like https://blog.example.org.");
}
