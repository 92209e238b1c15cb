/**
 * Makes a promise of the first page iterable, like the page itself.
 *
 * @param {Promise<import("./page.js").Page<any>>} promise
 */
export function pagePromise(promise) {
  async function* pages() {
    yield* (await promise).pages();
  }
  async function* rows() {
    yield* await promise;
  }
  return Object.assign(promise, { pages, [Symbol.asyncIterator]: rows });
}
