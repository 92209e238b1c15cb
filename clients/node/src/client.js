import { definedOptions, resolveOptions } from "./options.js";
import { Resources } from "./resources/index.js";
import { Transport } from "./transport.js";

/** A client of the blogsvc API. */
export class Client extends Resources {
  // Contains the API key. Private fields appear neither in inspections nor in JSON.
  #options;

  /** @param {import("./types.js").ClientOptions} [options] */
  constructor(options = {}) {
    const resolved = resolveOptions(options);
    super(new Transport(resolved));
    this.#options = resolved;
    this.baseUrl = resolved.baseUrl;
  }

  /**
   * Returns a copy of this client with other options.
   *
   * @param {import("./types.js").ClientOptions} options
   */
  withOptions(options) {
    return new Client({ ...this.#options, ...definedOptions(options) });
  }
}
