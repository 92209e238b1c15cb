/** What goes into calls and comes out of them, beside the schemas. Times are in seconds, as everywhere in the API. */

import type { Page } from "./page.js";
import type { Post } from "./schemas.js";

/** What a client is made of. */
export interface ClientOptions {
  /** The key, `bsk_...`. By default BLOGSVC_API_KEY of the environment. */
  apiKey?: string | undefined;
  /** The blog's address, with or without `/api/v1`. By default BLOGSVC_URL of the environment. */
  baseUrl?: string | undefined;
  /** Seconds, for one attempt: until an answer begins, and until each part of it is there. By default 60. */
  timeout?: number | undefined;
  /** How often a request is tried again. By default 4. */
  maxRetries?: number | undefined;
  /** Seconds: a server that asks to wait for longer is not waited for, and the error comes at once. By default 60. */
  maxRetryWait?: number | undefined;
  /** Plain HTTP beyond this machine, over which anybody on the way reads the key. By default it is refused. */
  allowHttp?: boolean | undefined;
  /** Is told of every attempt. */
  log?: ((entry: LogEntry) => void) | undefined;
  /** What sends a request, in place of the global `fetch`: through a proxy, for instance, or for a test. */
  fetch?: typeof globalThis.fetch | undefined;
}

/** One attempt. It never holds a header or a body. */
export interface LogEntry {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** From 1. */
  readonly attempt: number;
  /** Null where no answer came. */
  readonly status: number | null;
  /** The class of the error where no answer came, such as `TimeoutError`. */
  readonly error: string | null;
  readonly milliseconds: number;
  readonly requestId: string | null;
  /** Seconds; null where it is not tried again. */
  readonly retryIn: number | null;
}

/** What every call may be told. */
export interface RequestOptions {
  /** In place of the client's. Seconds. */
  timeout?: number | undefined;
  /** In place of the client's. */
  maxRetries?: number | undefined;
  /** Ends the call when it is aborted, with its reason, and closes its connection. */
  signal?: AbortSignal | undefined;
}

/** What a POST may be told. */
export interface WriteOptions extends RequestOptions {
  /** By default a new UUID for each call, kept over its retries. One of your own outlives your process. */
  idempotencyKey?: string | undefined;
}

/** What `posts.publish` may be told. */
export interface PublishOptions extends WriteOptions {
  /** So many seconds, 1 to 30, the server waits for the outcome before it answers; they come on top of `timeout`. */
  wait?: number | undefined;
}

/** What an upload may be told. */
export interface UploadOptions extends WriteOptions {
  /** The name of the file, where it has none itself or another is wanted. */
  filename?: string | undefined;
}

/** What a change may be told. */
export interface ChangeOptions extends RequestOptions {
  /** `response.etag` of the answer that is being changed: refused if somebody else was faster. Null is an error. */
  ifMatch?: string | null | undefined;
}

/** What reading may be told. */
export interface ReadOptions extends RequestOptions {
  ifNoneMatch?: undefined;
}

/** The same, to be answered only if something has changed. */
export interface ConditionalOptions extends RequestOptions {
  /** `response.etag` of an earlier answer. Null is as if it were not given. */
  ifNoneMatch?: string | null | undefined;
}

/** What `posts.wait` may be told. */
export interface WaitOptions {
  /** Seconds altogether. By default 300. */
  timeout?: number | undefined;
  /** Is told of each answer that differs from the one before. */
  onProgress?: ((post: Answer<Post>) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** A path or a file URL (in Node.js), a Blob such as the File of an input, bytes, or a stream. It is read whole. */
export type Uploadable =
  string | URL | Blob | ArrayBuffer | Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string>;

/** An answer beside its fields. */
export interface ResponseInfo {
  readonly status: number;
  readonly headers: Headers;
  /** For `ifMatch` and `ifNoneMatch`. Null where the answer has none. */
  readonly etag: string | null;
  readonly requestId: string | null;
  /** Whether it was given before, to an earlier attempt with this Idempotency-Key. */
  readonly isReplayed: boolean;
}

/** A document as it was answered, frozen, with fields that are newer than this library too. */
export type Answer<T> = T & {
  /** Not enumerable: it is not among what is copied, shown or written as JSON. */
  readonly response: ResponseInfo;
};

/** The first page to who awaits it, and all rows to who iterates over it. */
export interface Listing<T> extends Promise<Page<T>>, AsyncIterable<T> {
  /** Page by page. */
  pages(): AsyncGenerator<Page<T>, void, undefined>;
}
