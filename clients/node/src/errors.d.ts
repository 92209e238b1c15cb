import type { Post, ProblemError } from "./schemas.js";
import type { APIResponse } from "./types.js";

/** The base class of all errors of this library. An aborted call throws the reason of its signal instead. */
export declare class BlogsvcError extends Error {
  /** The idempotency key of the request, or null. The same request with this key is carried out only once. */
  readonly idempotencyKey: string | null;
}

/** An option or argument is missing or invalid: no API key, no URL, an invalid Date. No request was sent. */
export declare class ConfigurationError extends BlogsvcError {}

/** There was no response. The server may or may not have carried out the request. */
export declare class ConnectionError extends BlogsvcError {
  /** @internal */
  constructor(message: string, options?: { cause?: unknown; wasSent?: boolean });

  /** False if there was no connection, so that the server did not carry out the request. */
  readonly wasSent: boolean;
}

/** There was no response within the timeout. */
export declare class TimeoutError extends ConnectionError {}

/** The API returned an error, or a response that cannot be decoded. */
export declare class APIError extends BlogsvcError {
  /** @internal */
  constructor(raw: { status: number; headers: Headers }, problem: object, detail: string);

  /** The HTTP status; 0 for a redirect in a browser, which hides its status. */
  readonly status: number;
  /** The last part of the problem's `type`, which identifies the problem type: `state-conflict`. */
  readonly slug: string | null;
  /** A short summary of the problem type. */
  readonly title: string;
  /** What went wrong with this request, and how to fix it. */
  readonly detail: string;
  /** The problem of each invalid field. Empty except for InvalidError. */
  readonly errors: readonly ProblemError[];
  /** The id of the request in the server's log. */
  readonly requestId: string | null;
  /** Seconds to wait before a retry, if the server sent them. */
  readonly retryAfter: number | null;
  /** The whole problem document (RFC 9457). Empty if the response is not one. */
  readonly problem: Readonly<Record<string, unknown>>;
  readonly headers: Headers;
}

/** 400: the server could not parse the request. */
export declare class BadRequestError extends APIError {}

/** 401: the key is missing, unknown, expired or revoked. */
export declare class AuthenticationError extends APIError {}

/** 403: the key lacks the required scope, or the server requires HTTPS. */
export declare class PermissionDeniedError extends APIError {}

/** 404: the resource does not exist, or no longer exists. */
export declare class NotFoundError extends APIError {}

/** 409: the state of the resource does not allow the operation. */
export declare class ConflictError extends APIError {
  /** The current state of the resource. */
  readonly state: string | null;
  /** The transitions that the current state allows. */
  readonly allowed: readonly string[] | null;
}

/** 412: the resource has changed since `ifMatch`. */
export declare class PreconditionFailedError extends APIError {}

/** 422: the request is invalid. `errors` lists every problem. */
export declare class InvalidError extends APIError {}

/** 429: too many requests. */
export declare class RateLimitError extends APIError {
  /** The exceeded limit: `read`, `write` or `publish`. */
  readonly tier: string | null;
  /** The limit in requests per minute. */
  readonly limit: number | null;
}

/** 500 and above: the server, or a platform that it called, failed. */
export declare class ServerError extends APIError {}

/** The post has not finished publishing in time. */
export declare class WaitTimeoutError extends BlogsvcError {
  /** @internal */
  constructor(message: string, post: APIResponse<Post> | null);

  /** The last known state of the post, or null if there was no response at all. */
  readonly post: APIResponse<Post> | null;
}

/** The signature of a webhook message is invalid, or its timestamp is outside the tolerance. */
export declare class WebhookSignatureError extends BlogsvcError {}
