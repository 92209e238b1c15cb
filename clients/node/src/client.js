import { pickCredentials } from "./credentials.js";
import { checkOptions, definedOptions, resolveOptions, typeName } from "./options.js";
import { Resources } from "./resources/index.js";
import { Transport } from "./transport.js";

/** A client of the blogsvc API. */
export class Client extends Resources {
  // Contains the API key. Private fields appear neither in inspections nor in JSON.
  #options;

  /** @param {any[]} given */
  constructor(...given) {
    const { apiKey, baseUrl, options } = argumentsOf(given);
    const resolved = resolveOptions({ ...pickCredentials(apiKey, baseUrl), ...options });
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
    if ("apiKey" in options || "baseUrl" in options) {
      throw new TypeError("withOptions accepts no `apiKey` and no `baseUrl`. Create a new client for another server.");
    }
    const { apiKey, baseUrl, ...defaults } = this.#options;
    return new Client(apiKey, baseUrl, { ...defaults, ...definedOptions(options) });
  }
}

/**
 * Returns the key, the URL and the other options of a client: `(options)` or `(apiKey, baseUrl, options)`.
 *
 * @param {any[]} given
 * @returns {{ apiKey: string | undefined, baseUrl: string | undefined, options: Record<string, any> }}
 */
function argumentsOf(given) {
  if (given.length === 0) return { apiKey: undefined, baseUrl: undefined, options: {} };
  if (given.length === 1 && typeof given[0] !== "string") {
    checkOptions(given[0]);
    const { apiKey, baseUrl, ...options } = given[0];
    return { apiKey, baseUrl, options: definedOptions(options) };
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
  return { apiKey, baseUrl, options: definedOptions(options) };
}
