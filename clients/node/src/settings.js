/** What a client is made of: its options, checked, with what stands in for those that are not given. */

import { ConfigurationError } from "./errors.js";
import { environment } from "./runtime.js";

const DEFAULTS = { timeout: 60, maxRetries: 4, maxRetryWait: 60, allowHttp: false };
const PREFIX = "/api/v1";
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * @typedef {object} Settings
 * @property {string} apiKey
 * @property {string} baseUrl without a slash at its end, and without `/api/v1`
 * @property {number} timeout
 * @property {number} maxRetries
 * @property {number} maxRetryWait
 * @property {boolean} allowHttp
 * @property {((entry: import("./types.js").LogEntry) => void) | undefined} log
 * @property {typeof globalThis.fetch} fetch
 */

/**
 * @param {import("./types.js").ClientOptions} options
 * @returns {Settings}
 */
export function settingsOf(options) {
  /** @type {any} */
  const settings = { ...DEFAULTS, log: undefined, fetch: currentFetch, ...defined(options) };
  checkSeconds("timeout", settings.timeout);
  checkCount("maxRetries", settings.maxRetries);
  checkSeconds("maxRetryWait", settings.maxRetryWait);
  return Object.freeze({
    ...settings,
    apiKey: keyOf(settings.apiKey ?? environment("BLOGSVC_API_KEY")),
    baseUrl: addressOf(settings.baseUrl ?? environment("BLOGSVC_URL"), settings.allowHttp),
  });
}

/** Those that are given: undefined stands for what is not. */
export function defined(options) {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/** Refuses what is no number of seconds. */
export function checkSeconds(name, value) {
  if (!(typeof value === "number" && value >= 0)) {
    throw new ConfigurationError(`\`${name}\` is a number of seconds, not ${String(value)}.`);
  }
}

/** Refuses what does not say how often; `Infinity` does. */
export function checkCount(name, value) {
  if (!(Number.isInteger(value) || value === Infinity) || value < 0) {
    throw new ConfigurationError(`\`${name}\` is a whole number from 0 on, not ${String(value)}.`);
  }
}

// The one that is there when it is called, as tests put another in its place.
function currentFetch(url, init) {
  return globalThis.fetch(url, init);
}

function keyOf(apiKey) {
  if (!apiKey) throw new ConfigurationError("There is no key: give `apiKey`, or set BLOGSVC_API_KEY.");
  if (typeof apiKey !== "string" || !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new ConfigurationError("The key holds what no key holds: a space, a line break or the like.");
  }
  return apiKey;
}

function addressOf(baseUrl, allowHttp) {
  if (!baseUrl) throw new ConfigurationError("There is no address: give `baseUrl`, or set BLOGSVC_URL.");
  const url = urlOf(baseUrl);
  if (url.username || url.password || url.search || url.hash) {
    throw new ConfigurationError("The address has a user, a query or a fragment, which that of a blog has not.");
  }
  if (url.protocol === "http:" && !allowHttp && !LOOPBACK.test(url.hostname)) {
    throw new ConfigurationError(
      `${url.origin} is plain HTTP, over which anybody on the way reads the key. Use https, or \`allowHttp\`.`,
    );
  }
  const path = url.pathname.replace(/\/+$/, "");
  return url.origin + (path.endsWith(PREFIX) ? path.slice(0, -PREFIX.length) : path);
}

function urlOf(baseUrl) {
  try {
    const url = new URL(baseUrl);
    if (url.protocol === "https:" || url.protocol === "http:") return url;
  } catch {
    // It is none, and refused as such.
  }
  throw new ConfigurationError("The address is no URL such as https://blog.example.org.");
}
