/** Answers: plain objects as they were answered, which nobody changes, with what is known of the response beside. */

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
 * @typedef {object} Received
 * @property {number} status
 * @property {Headers} headers
 * @property {string} text
 */

/**
 * The document that was answered; null where there is none. Throws APIError for anything else.
 *
 * @param {Received} received
 * @param {boolean} isConditional whether 304 is an answer
 */
export function answerOf(received, isConditional) {
  const { status } = received;
  if (status === 204 || (status === 304 && isConditional)) return null;
  const document = objectOf(received.text);
  if (status < 200 || status >= 300 || document === null) throw errorOf(received, document ?? {});
  return frozen(withResponse(document, infoOf(received)));
}

/** The error that an answer is; one of success is none that can be understood. */
function errorOf(received, problem) {
  const { status } = received;
  const kind = ERRORS[status] ?? (status >= 500 ? errors.ServerError : errors.APIError);
  return new kind(received, problem, explained(received));
}

/** The same, which nobody can change any more, nor what is in it. */
export function frozen(value) {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

/** The response beside the fields: it is there when it is asked for, and not among what is shown or copied. */
export function withResponse(document, info) {
  return Object.defineProperty(document, "response", { value: info, enumerable: false });
}

/** @param {{status: number, headers: Headers}} received */
function infoOf({ status, headers }) {
  return Object.freeze({
    status,
    headers,
    etag: headers.get("ETag"),
    requestId: headers.get("X-Request-Id"),
    isReplayed: headers.get("Idempotency-Replayed") === "true",
  });
}

/** The JSON object of a text; null where it is none. */
export function objectOf(text) {
  try {
    const document = JSON.parse(text);
    return typeof document === "object" && !Array.isArray(document) ? document : null;
  } catch {
    return null;
  }
}

/** What to say of an answer that does not say it itself. */
function explained({ status, headers }) {
  // A browser that is not to follow a redirect says no more than that there is one, as status 0.
  if (status === 0 || (status >= 300 && status < 400)) {
    const target = headers.get("Location") ?? "elsewhere";
    return `The server redirects to ${target}, which is not followed, as the key would go along. Is the address right?`;
  }
  const type = headers.get("Content-Type") ?? "nothing";
  return `The answer is ${type} instead of JSON. Is the address right, or is there a proxy in between?`;
}
