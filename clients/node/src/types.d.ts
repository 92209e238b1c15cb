/** Types of options and responses, besides the schemas. All times are in seconds, as in the API. */

import type { Page } from "./page.js";
import type { Post } from "./schemas.js";

/** The options of a client, besides its API key and its URL. */
export interface ClientOptions {
  /** Part of `ClientConfig`. */
  apiKey?: never;
  /** Part of `ClientConfig`. */
  baseUrl?: never;
  /** Timeout of one attempt in seconds: for the response to start, and for each read of it. Default: 60. */
  timeout?: number | undefined;
  /** The maximum number of retries of a request. Default: 4. */
  maxRetries?: number | undefined;
  /** Seconds. If the server asks to wait longer than this, the request fails without a retry. Default: 60. */
  maxRetryWait?: number | undefined;
  /** Seconds for which a request is retried beyond `maxRetries`. Set 60 to outlast a server restart. Default: 0. */
  retryFor?: number | undefined;
  /** Allow plain HTTP to other machines, which sends the API key unencrypted. Default: false. */
  allowHttp?: boolean | undefined;
  /** Called after every attempt. */
  log?: ((entry: LogEntry) => void) | undefined;
  /** Replaces the global `fetch`, for example to use a proxy, or in a test. */
  fetch?: typeof globalThis.fetch | undefined;
}

/** The API key and the URL of a client, with its options. A key is only sent to the URL that it was given with. */
export interface ClientConfig extends Omit<ClientOptions, "apiKey" | "baseUrl"> {
  /** The API key, `bsk_...`. */
  apiKey: string;
  /** The URL of the server that the key belongs to, with or without `/api/v1`. */
  baseUrl: string;
}

/** One attempt to send a request. Contains no headers and no body. */
export interface LogEntry {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  /** The number of the attempt, starting at 1. */
  readonly attempt: number;
  /** The HTTP status, or null if there was no response. */
  readonly status: number | null;
  /** The class name of the error if there was no response, such as `TimeoutError`. */
  readonly error: string | null;
  /** The duration of the attempt. */
  readonly milliseconds: number;
  readonly requestId: string | null;
  /** Seconds until the retry, or null if there is none. */
  readonly retryIn: number | null;
}

/** Options of every method. */
export interface RequestOptions {
  /** Overrides the client's timeout, in seconds. */
  timeout?: number | undefined;
  /** Overrides the client's maximum number of retries. */
  maxRetries?: number | undefined;
  /** Overrides the client's `retryFor`, in seconds. */
  retryFor?: number | undefined;
  /** Aborts the call, which then throws the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** Options of methods that write. */
export interface DryRunOptions extends RequestOptions {
  /** True resolves to the result that the call would have, and changes nothing. */
  dryRun?: boolean | undefined;
}

/** Options of methods that send a POST. */
export interface IdempotentOptions extends RequestOptions {
  /**
   * The idempotency key. Default: a new UUID for each call, used for all of its attempts. Pass your own to repeat a
   * request safely from another process.
   */
  idempotencyKey?: string | undefined;
}

/** Options of methods that create something or start work. */
export interface WriteOptions extends IdempotentOptions, DryRunOptions {}

/** Options of `posts.publish`. */
export interface PublishOptions extends WriteOptions {
  /** Seconds the server may wait for the deliveries before it responds, 1 to 30. They are added to `timeout`. */
  wait?: number | undefined;
}

/** Options of `media.upload`. */
export interface UploadOptions extends WriteOptions {
  /** The file name. Default: the name of the file. */
  filename?: string | undefined;
}

/** Options of methods that change or delete a resource. */
export interface ChangeOptions extends DryRunOptions {
  /** `response.etag` of an earlier response. The request fails if the resource has changed since. Null is an error. */
  ifMatch?: string | null | undefined;
}

/** Options of methods that fetch a resource. */
export interface ReadOptions extends RequestOptions {
  ifNoneMatch?: undefined;
}

/** Options of methods that fetch a resource only if it has changed. */
export interface ConditionalOptions extends RequestOptions {
  /** `response.etag` of an earlier response. Null is ignored. */
  ifNoneMatch?: string | null | undefined;
}

/** Options of `posts.wait`. */
export interface WaitOptions {
  /** Seconds to wait in total. Default: 300. */
  timeout?: number | undefined;
  /** Called with the post each time it has changed. */
  onProgress?: ((post: APIResponse<Post>) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** A path or a file URL (Node.js only), a Blob such as the File of an <input>, bytes, or a stream. It is read whole. */
export type Uploadable =
  string | URL | Blob | ArrayBuffer | Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string>;

/** The status and headers of an HTTP response. */
export interface ResponseInfo {
  readonly status: number;
  readonly headers: Headers;
  /** The ETag of the resource, for `ifMatch` and `ifNoneMatch`, or null if the response has none. */
  readonly etag: string | null;
  /** The id of the request in the server's log. */
  readonly requestId: string | null;
  /** Whether this is the stored response to an earlier request with the same idempotency key. */
  readonly isReplayed: boolean;
}

/** A document returned by the API, frozen. Fields that this version does not know are included. */
export type APIResponse<T> = T & {
  /** Not enumerable, so that it is not copied or serialized. */
  readonly response: ResponseInfo;
};

/** Await it to get the first page, or iterate over it to get the rows of all pages. */
export interface PagePromise<T> extends Promise<Page<T>>, AsyncIterable<T> {
  /** Yields all pages. */
  pages(): AsyncGenerator<Page<T>, void, undefined>;
}
