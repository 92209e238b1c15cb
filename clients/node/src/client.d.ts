import type { ClientOptions } from "./types.js";
import { Resources } from "./resources/index.js";

/**
 * A blogsvc, and a key to it. It can be kept for as long as one likes, and shows its key nowhere.
 *
 * Every call may throw a ConnectionError where no answer came, and an APIError of the answer's kind.
 */
export declare class Client extends Resources {
  /** @throws {ConfigurationError} There is no key or no address, or one that cannot be. */
  constructor(options?: ClientOptions);

  /** The blog's address, without `/api/v1`. */
  readonly baseUrl: string;

  /** The same client with other options. */
  withOptions(options: ClientOptions): Client;
}
