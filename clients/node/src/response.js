/** Decodes responses into frozen plain objects with a `response` property, or into errors. */

import * as errors from "./errors.js";

const ERRORS = {
  400: errors.BadRequestError,
  401: errors.AuthenticationError,
  403: errors.PermissionDeniedError,
  404: errors.NotFoundError,
  409: errors.ConflictError,
  412: errors.PreconditionFailedError,
  422: errors.InvalidError,
  429: errors.RateLimitError,
};

/**
 * @typedef {object} RawResponse
 * @property {number} status
 * @property {Headers} headers
 * @property {string} text
 */

/**
 * Returns the document of a response, or null if it has none. Throws an APIError if the response is an error.
 *
 * @param {RawResponse} raw
 * @param {boolean} isConditional whether the request has an If-None-Match, so that 304 is a success
 */
export function decodeResponse(raw, isConditional) {
  const { status } = raw;
  if (status === 204 || (status === 304 && isConditional)) return null;
  const document = parseObject(raw.text);
  if (status < 200 || status >= 300 || document === null) throw createError(raw, document ?? {});
  return deepFreeze(addResponse(document, responseInfo(raw)));
}

/** Returns the error for a response: an APIError if the status is a success but the body is not a JSON object. */
function createError(raw, problem) {
  const { status } = raw;
  const kind = ERRORS[status] ?? (status >= 500 ? errors.ServerError : errors.APIError);
  return new kind(raw, problem, defaultDetail(raw));
}

export function deepFreeze(value) {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}

/** Adds the property `response`. It is not enumerable, so that it is not copied or serialized. */
export function addResponse(document, info) {
  return Object.defineProperty(document, "response", { value: info, enumerable: false });
}

/** @param {{status: number, headers: Headers}} raw */
function responseInfo({ status, headers }) {
  return Object.freeze({
    status,
    headers,
    etag: headers.get("ETag"),
    requestId: headers.get("X-Request-Id"),
    isReplayed: headers.get("Idempotency-Replayed") === "true",
  });
}

/** Parses a JSON object. Returns null if the text is anything else. */
export function parseObject(text) {
  try {
    const document = JSON.parse(text);
    return typeof document === "object" && !Array.isArray(document) ? document : null;
  } catch {
    return null;
  }
}

/** Returns the detail of an error whose response has no problem document. */
function defaultDetail({ status, headers }) {
  // A browser reports an unfollowed redirect as status 0, without its target.
  if (status === 0 || (status >= 300 && status < 400)) {
    const target = headers.get("Location") ?? "another URL";
    return `The server redirects to ${target}. Redirects are not followed: set baseUrl to the address of the API.`;
  }
  const type = headers.get("Content-Type") ?? "no content type";
  return `The response is not JSON: ${type}. Check baseUrl and any proxy in between.`;
}
