import { withResponse } from "./answers.js";

/** One page of a list; iterating over it goes through all the rows of this page and those after it. */
export class Page {
  /** @type {any[]} */
  data = [];
  /** @type {string | null} */
  nextCursor = null;
  #after;

  /**
   * @param {any} answer
   * @param {(cursor: string) => Promise<Page>} after asks for the page after a cursor
   */
  constructor(answer, after) {
    Object.assign(this, answer);
    withResponse(this, answer.response);
    this.#after = after;
    Object.freeze(this);
  }

  /** Whether there is another page. */
  get hasNext() {
    return this.nextCursor !== null;
  }

  /** The page after this one; null after the last. */
  async next() {
    return this.nextCursor === null ? null : this.#after(this.nextCursor);
  }

  /** This page and those after it. */
  async *pages() {
    for (let page = /** @type {Page | null} */ (this); page !== null; page = await page.next()) yield page;
  }

  async *[Symbol.asyncIterator]() {
    for await (const page of this.pages()) yield* page.data;
  }
}
