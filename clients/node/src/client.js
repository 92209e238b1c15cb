import { Resources } from "./resources/index.js";
import { defined, settingsOf } from "./settings.js";
import { Transport } from "./transport.js";

/** A blogsvc, and a key to it. */
export class Client extends Resources {
  // With the key: a private field is shown by nothing that shows an object.
  #settings;

  /** @param {import("./types.js").ClientOptions} [options] */
  constructor(options = {}) {
    const settings = settingsOf(options);
    super(new Transport(settings));
    this.#settings = settings;
    this.baseUrl = settings.baseUrl;
  }

  /**
   * The same client with other options.
   *
   * @param {import("./types.js").ClientOptions} options
   */
  withOptions(options) {
    return new Client({ ...this.#settings, ...defined(options) });
  }
}
