import type { ResponseInfo } from "./types.js";

/** One page of a list; iterating over it goes through all the rows of this page and those after it. */
export declare class Page<T> implements AsyncIterable<T> {
  /** @internal A client makes it. */
  constructor(answer: unknown, after: unknown);

  readonly data: readonly T[];
  /** For the field `cursor`; null on the last page. */
  readonly nextCursor: string | null;
  readonly response: ResponseInfo;

  /** Whether there is another page. */
  get hasNext(): boolean;
  /** The page after this one; null after the last. */
  next(): Promise<Page<T> | null>;
  /** This page and those after it. */
  pages(): AsyncGenerator<Page<T>, void, undefined>;
  [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined>;
}
