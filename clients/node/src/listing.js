/**
 * A promise of the first page that can be iterated over as the page can.
 *
 * @param {Promise<import("./page.js").Page<any>>} promise
 */
export function listing(promise) {
  async function* pages() {
    yield* (await promise).pages();
  }
  async function* rows() {
    yield* await promise;
  }
  return Object.assign(promise, { pages, [Symbol.asyncIterator]: rows });
}
