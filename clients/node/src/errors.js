/** What may go wrong. The types, with more words, are in errors.d.ts. */

/** Every error of this library. */
export class BlogsvcError extends Error {}

/** Something that was asked for cannot be: nothing was sent. */
export class ConfigurationError extends BlogsvcError {}

/** No answer came. */
export class ConnectionError extends BlogsvcError {
  /**
   * @param {string} message
   * @param {{cause?: unknown, wasSent?: boolean}} [about]
   */
  constructor(message, { cause, wasSent = true } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.wasSent = wasSent;
  }
}

/** No answer came in time. */
export class TimeoutError extends ConnectionError {}

/** The server answered that it did not do what it was asked for, or what cannot be understood. */
export class APIError extends BlogsvcError {
  /**
   * @param {{status: number, headers: Headers}} received
   * @param {Record<string, any>} problem the document that was answered
   * @param {string} detail what to say where the document says nothing
   */
  constructor({ status, headers }, problem, detail) {
    const slug = /\/([^/]+)\/?$/.exec(problem.type ?? "")?.[1] ?? null;
    const requestId = headers.get("X-Request-Id");
    const errors = Array.isArray(problem.errors) ? problem.errors : [];
    // Where there are faults, the detail is what they say.
    super(sentence(errors.length ? errors.map(fault) : [problem.detail ?? detail], status, slug, requestId));
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

/** 400: the request cannot be read. */
export class BadRequestError extends APIError {}

/** 401: the key is missing, unknown, expired or revoked. */
export class AuthenticationError extends APIError {}

/** 403: the key lacks a scope, or plain HTTP is not taken. */
export class PermissionDeniedError extends APIError {}

/** 404: there is no such thing. */
export class NotFoundError extends APIError {}

/** 409: its state does not allow this. */
export class ConflictError extends APIError {
  constructor(received, problem, detail) {
    super(received, problem, detail);
    this.state = problem.state ?? null;
    this.allowed = problem.allowed ?? null;
  }
}

/** 412: somebody else has changed it since. */
export class PreconditionFailedError extends APIError {}

/** 422: something in the request is wrong; `errors` says all of it. */
export class InvalidError extends APIError {}

/** 429: too many requests. */
export class RateLimitError extends APIError {
  constructor(received, problem, detail) {
    super(received, problem, detail);
    this.tier = problem.tier ?? null;
    this.limit = problem.limit ?? null;
  }
}

/** 500 and above: the server could not. */
export class ServerError extends APIError {}

/** A post did not settle in the time that it was waited for. */
export class WaitTimeoutError extends BlogsvcError {
  constructor(message, post) {
    super(message);
    this.post = post;
  }
}

/** A message is not from whom it says, or not of now. */
export class WebhookSignatureError extends BlogsvcError {}

// By hand, since what makes programs small renames classes, and a log of errors named `t` says nothing.
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

function sentence(said, status, slug, requestId) {
  const answer = slug ? `${status} ${slug}` : `${status}`;
  return `${said.join(" ")} (${requestId ? `${answer}, request ${requestId}` : answer})`;
}

function fault({ pointer, parameter, detail }) {
  return `${pointer ?? parameter}: ${detail}`;
}

/** What `Retry-After` says, in seconds from now; null where it says nothing. */
function secondsUntil(retryAfter) {
  if (/^\d+$/.test(retryAfter ?? "")) return Number(retryAfter);
  const time = /GMT$/.test(retryAfter ?? "") ? Date.parse(retryAfter) : NaN;
  return Number.isNaN(time) ? null : Math.max(0, (time - Date.now()) / 1000);
}
