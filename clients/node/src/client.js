import { checkOptions, definedOptions, resolveOptions, typeName } from "./options.js";
import { Resources } from "./resources/index.js";
import { Transport } from "./transport.js";

/** A client of the blogsvc API. */
export class Client extends Resources {
  // Contains the API key. Private fields appear neither in inspections nor in JSON.
  #options;

  /** @param {any[]} given */
  constructor(...given) {
    const resolved = resolveOptions(optionsOf(given));
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
    checkOptions(options);
    return new Client({ ...this.#options, ...definedOptions(options) });
  }
}

/**
 * Returns the arguments of a client as options: `(options)` or `(apiKey, baseUrl, options)`.
 *
 * @param {any[]} given
 */
function optionsOf(given) {
  if (given.length < 2 && typeof given[0] !== "string") {
    const options = given[0] === undefined ? {} : given[0];
    checkOptions(options);
    return options;
  }
  const [apiKey, baseUrl, options = {}] = given;
  if (given.length > 3) throw new TypeError("A client has at most 3 arguments: `apiKey`, `baseUrl`, `options`.");
  if (typeof apiKey !== "string") {
    throw new TypeError(`The first of several arguments must be the API key, a string, not ${typeName(apiKey)}.`);
  }
  if (given.length > 1 && typeof baseUrl !== "string") {
    throw new TypeError(`The second argument must be the URL, a string, not ${typeName(baseUrl)}.`);
  }
  checkOptions(options);
  if ("apiKey" in options || "baseUrl" in options) {
    throw new TypeError("Pass `apiKey` and `baseUrl` once: as arguments or as options.");
  }
  return given.length > 1 ? { ...options, apiKey, baseUrl } : { apiKey };
}
