import { addResponse } from "./response.js";

/** A page of a list. Iterating over it yields the rows of this page and of all following pages. */
export class Page {
  /** @type {any[]} */
  data = [];
  /** @type {string | null} */
  nextCursor = null;
  #fetchPage;

  /**
   * @param {any} document
   * @param {(cursor: string) => Promise<Page>} fetchPage fetches the page at a cursor
   */
  constructor(document, fetchPage) {
    Object.assign(this, document);
    addResponse(this, document.response);
    this.#fetchPage = fetchPage;
    Object.freeze(this);
  }

  /** Whether there is another page. */
  get hasNext() {
    return this.nextCursor !== null;
  }

  /** Fetches the next page. Resolves to null on the last page. */
  async next() {
    return this.nextCursor === null ? null : this.#fetchPage(this.nextCursor);
  }

  /** Yields this page and all following pages. */
  async *pages() {
    for (let page = /** @type {Page | null} */ (this); page !== null; page = await page.next()) yield page;
  }

  async *[Symbol.asyncIterator]() {
    for await (const page of this.pages()) yield* page.data;
  }
}
