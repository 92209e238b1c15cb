import type { Post, ProblemError } from "./schemas.js";
import type { Answer } from "./types.js";

/** Every error of this library. A call that is aborted throws its signal's reason instead. */
export declare class BlogsvcError extends Error {}

/** Something that was asked for cannot be: no key, no address, a Date that is no time. Nothing was sent. */
export declare class ConfigurationError extends BlogsvcError {}

/** No answer came. Whether it was done is not known, unless the request was safe to repeat. */
export declare class ConnectionError extends BlogsvcError {
  /** @internal */
  constructor(message: string, about?: { cause?: unknown; wasSent?: boolean });

  /** False where it is known that no connection stood, and so nothing was done. */
  readonly wasSent: boolean;
}

/** No answer came in time. */
export declare class TimeoutError extends ConnectionError {}

/** The server answered that it did not do what it was asked for, or what cannot be understood. */
export declare class APIError extends BlogsvcError {
  /** @internal */
  constructor(received: { status: number; headers: Headers }, problem: object, detail: string);

  /** 0 in a browser that was redirected, which says no more of it. */
  readonly status: number;
  /** What kind of problem it is: the end of the document's `type`. */
  readonly slug: string | null;
  readonly title: string;
  /** What to do. */
  readonly detail: string;
  /** Everything that is wrong with the request; empty but for InvalidError. */
  readonly errors: readonly ProblemError[];
  readonly requestId: string | null;
  /** Seconds to wait before the same is asked again, where the server says so. */
  readonly retryAfter: number | null;
  /** The whole document (RFC 9457); empty where the answer was none. */
  readonly problem: Readonly<Record<string, unknown>>;
  readonly headers: Headers;
}

/** 400: the request cannot be read. */
export declare class BadRequestError extends APIError {}

/** 401: the key is missing, unknown, expired or revoked. */
export declare class AuthenticationError extends APIError {}

/** 403: the key lacks a scope, or plain HTTP is not taken. */
export declare class PermissionDeniedError extends APIError {}

/** 404: there is no such thing. */
export declare class NotFoundError extends APIError {}

/** 409: its state does not allow this. */
export declare class ConflictError extends APIError {
  /** Where it stands. */
  readonly state: string | null;
  /** What its state allows. */
  readonly allowed: readonly string[] | null;
}

/** 412: somebody else has changed it since. */
export declare class PreconditionFailedError extends APIError {}

/** 422: something in the request is wrong; `errors` says all of it. */
export declare class InvalidError extends APIError {}

/** 429: too many requests. */
export declare class RateLimitError extends APIError {
  /** Which limit: `read`, `write` or `publish`. */
  readonly tier: string | null;
  /** How many a minute. */
  readonly limit: number | null;
}

/** 500 and above: the server could not. */
export declare class ServerError extends APIError {}

/** A post did not settle in the time that it was waited for. */
export declare class WaitTimeoutError extends BlogsvcError {
  /** @internal */
  constructor(message: string, post: Answer<Post> | null);

  /** As it was last; null where no answer came at all. */
  readonly post: Answer<Post> | null;
}

/** A message is not from whom it says, or not of now. */
export declare class WebhookSignatureError extends BlogsvcError {}
