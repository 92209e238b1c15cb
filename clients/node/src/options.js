/** Validates the options of a client and fills in the defaults. */

import { checkKey, normalizeUrl } from "./credentials.js";
import { ConfigurationError } from "./errors.js";

const DEFAULTS = { timeout: 60, maxRetries: 4, maxRetryWait: 60, retryFor: 0, allowHttp: false };

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
 * @param {import("./types.js").ClientConfig} options
 * @returns {ResolvedOptions}
 */
export function resolveOptions(options) {
  /** @type {any} */
  const resolved = { ...DEFAULTS, log: undefined, fetch: currentFetch, ...options };
  checkSeconds("timeout", resolved.timeout);
  checkCount("maxRetries", resolved.maxRetries);
  checkSeconds("maxRetryWait", resolved.maxRetryWait);
  checkSeconds("retryFor", resolved.retryFor);
  return Object.freeze({
    ...resolved,
    apiKey: checkKey(resolved.apiKey),
    baseUrl: normalizeUrl(resolved.baseUrl, resolved.allowHttp),
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
  if (!isPlain(options)) {
    // The properties of a Map or of a prototype would be ignored, and so would a key and a URL among them.
    throw new TypeError("The options must be a plain object, such as { apiKey, baseUrl }.");
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

function isPlain(options) {
  const prototype = Object.getPrototypeOf(options);
  // The object may come from another realm, which has an Object.prototype of its own.
  return (
    prototype === null || (Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, "hasOwnProperty"))
  );
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
