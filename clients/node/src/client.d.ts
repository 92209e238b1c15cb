import type { ClientConfig, ClientOptions } from "./types.js";
import { Resources } from "./resources/index.js";

/**
 * A client of the blogsvc API.
 *
 * Every method may throw a ConnectionError if there is no response, and an APIError if the API returns an error.
 */
export declare class Client extends Resources {
  /**
   * Pass both the API key and the URL, or neither: without both, the environment variables BLOGSVC_API_KEY and
   * BLOGSVC_URL are used. They are not combined with what is given.
   *
   * @throws {ConfigurationError} An option is missing or invalid.
   * @throws {TypeError} The options are not an object, one is unknown, or the key or the URL is not a string.
   */
  constructor(apiKey: string, baseUrl: string, options?: ClientOptions);
  constructor(config: ClientConfig);
  constructor(options: ClientOptions);
  constructor();

  /** The URL of the server, without `/api/v1`. */
  readonly baseUrl: string;

  /** Returns a copy of this client with other options. */
  withOptions(options: ClientOptions): Client;
}
