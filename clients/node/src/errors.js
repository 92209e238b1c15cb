/** The errors of this library. They are documented in errors.d.ts. */

/** The base class of all errors of this library. */
export class BlogsvcError extends Error {
  /** @type {string | null} */
  idempotencyKey = null;
}

/** An option or argument is missing or invalid. No request was sent. */
export class ConfigurationError extends BlogsvcError {}

/** There was no response. */
export class ConnectionError extends BlogsvcError {
  /**
   * @param {string} message
   * @param {{cause?: unknown, wasSent?: boolean}} [options]
   */
  constructor(message, { cause, wasSent = true } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.wasSent = wasSent;
  }
}

/** There was no response within the timeout. */
export class TimeoutError extends ConnectionError {}

/** The API returned an error, or a response that cannot be decoded. */
export class APIError extends BlogsvcError {
  /**
   * @param {{status: number, headers: Headers}} raw
   * @param {Record<string, any>} problem the problem document
   * @param {string} detail the detail if the document has none
   */
  constructor({ status, headers }, problem, detail) {
    const slug = /\/([^/]+)\/?$/.exec(problem.type ?? "")?.[1] ?? null;
    const requestId = headers.get("X-Request-Id");
    const errors = Array.isArray(problem.errors) ? problem.errors : [];
    // The detail only summarizes the field errors, so it is left out if there are any.
    const details = errors.length ? errors.map(fieldMessage) : [problem.detail ?? detail];
    super(formatMessage(details, status, slug, requestId));
    this.status = status;
    this.slug = slug;
    this.title = problem.title ?? "";
    this.detail = problem.detail ?? detail;
    this.errors = errors;
    this.requestId = requestId;
    this.retryAfter = secondsUntil(headers.get("Retry-After")) ?? problem.retryAfter ?? null;
    this.problem = problem;
    this.headers = headers;
  }
}

/** 400: the server could not parse the request. */
export class BadRequestError extends APIError {}

/** 401: the key is missing, unknown, expired or revoked. */
export class AuthenticationError extends APIError {}

/** 403: the key lacks the required scope, or the server requires HTTPS. */
export class PermissionDeniedError extends APIError {}

/** 404: the resource does not exist, or no longer exists. */
export class NotFoundError extends APIError {}

/** 409: the state of the resource does not allow the operation. */
export class ConflictError extends APIError {
  constructor(raw, problem, detail) {
    super(raw, problem, detail);
    this.state = problem.state ?? null;
    this.allowed = problem.allowed ?? null;
  }
}

/** 412: the resource has changed since `ifMatch`. */
export class PreconditionFailedError extends APIError {}

/** 422: the request is invalid. `errors` lists every problem. */
export class InvalidError extends APIError {}

/** 429: too many requests. */
export class RateLimitError extends APIError {
  constructor(raw, problem, detail) {
    super(raw, problem, detail);
    this.tier = problem.tier ?? null;
    this.limit = problem.limit ?? null;
  }
}

/** 500 and above: the server, or a platform that it called, failed. */
export class ServerError extends APIError {}

/** The post has not finished publishing in time. */
export class WaitTimeoutError extends BlogsvcError {
  constructor(message, post) {
    super(message);
    this.post = post;
  }
}

/** The signature of a webhook message is invalid, or its timestamp is outside the tolerance. */
export class WebhookSignatureError extends BlogsvcError {}

// Set by hand, because a minifier renames the classes.
const NAMES = {
  BlogsvcError,
  ConfigurationError,
  ConnectionError,
  TimeoutError,
  APIError,
  BadRequestError,
  AuthenticationError,
  PermissionDeniedError,
  NotFoundError,
  ConflictError,
  PreconditionFailedError,
  InvalidError,
  RateLimitError,
  ServerError,
  WaitTimeoutError,
  WebhookSignatureError,
};
for (const [name, kind] of Object.entries(NAMES)) {
  Object.defineProperty(kind.prototype, "name", { value: name, configurable: true, writable: true });
}

function formatMessage(details, status, slug, requestId) {
  const source = slug ? `${status} ${slug}` : `${status}`;
  return `${details.join(" ")} (${requestId ? `${source}, request ${requestId}` : source})`;
}

function fieldMessage({ pointer, parameter, detail }) {
  return `${pointer ?? parameter}: ${detail}`;
}

/** Parses `Retry-After`. Returns the seconds from now, or null if the header is missing or invalid. */
function secondsUntil(retryAfter) {
  if (/^\d+$/.test(retryAfter ?? "")) return Number(retryAfter);
  const time = /GMT$/.test(retryAfter ?? "") ? Date.parse(retryAfter) : NaN;
  return Number.isNaN(time) ? null : Math.max(0, (time - Date.now()) / 1000);
}
