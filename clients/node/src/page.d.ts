import type { ResponseInfo } from "./types.js";

/** A page of a list. Iterating over it yields the rows of this page and of all following pages. */
export declare class Page<T> implements AsyncIterable<T> {
  /** @internal List methods return pages. */
  constructor(document: unknown, fetchPage: unknown);

  /** The rows of this page. */
  readonly data: readonly T[];
  /** The `cursor` of the next page, or null on the last page. */
  readonly nextCursor: string | null;
  readonly response: ResponseInfo;

  /** Whether there is another page. */
  get hasNext(): boolean;
  /** Fetches the next page. Resolves to null on the last page. */
  next(): Promise<Page<T> | null>;
  /** Yields this page and all following pages. */
  pages(): AsyncGenerator<Page<T>, void, undefined>;
  [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined>;
}
