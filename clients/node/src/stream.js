/** The stream of events, which comes back where it breaks off. */

import { frozen, objectOf } from "./answers.js";
import { APIError, ConnectionError } from "./errors.js";
import { pauseBefore } from "./retries.js";
import { messages } from "./sse.js";
import { sleep } from "./watch.js";

// The server says that it is alive each 15 s.
const LONGEST_SILENCE = 45;

/**
 * Events as they happen, each once, for ever.
 *
 * @param {import("./transport.js").Transport} transport
 * @param {import("./transport.js").Request} request
 * @param {import("./types.js").RequestOptions} [options]
 */
export async function* streamed(transport, request, options = {}) {
  // The server tells the id of where the stream begins, so that what happens before the first event is not missed.
  /** @type {string | null} */
  let last = request.query?.after ?? null;
  let failures = 0;
  for (let exchange = await transport.open(request, options); ; exchange = await again(last)) {
    try {
      for await (const { id, data } of messages(exchange.parts(LONGEST_SILENCE))) {
        last = id ?? last;
        if (data === null) continue;
        failures = 0;
        yield eventOf(data);
      }
      throw new ConnectionError("The stream has ended.");
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      const retryIn = pauseBefore(failures);
      transport.logBroken(exchange, error, retryIn);
      await sleep(retryIn, options.signal);
    }
    failures += 1;
  }

  // Once it has stood, it is tried for as long as it takes; what no retry mends is thrown all the same.
  function again(id) {
    return transport.open(request, { ...options, maxRetries: Infinity }, id);
  }
}

function eventOf(data) {
  const event = objectOf(data);
  if (event) return frozen(event);
  throw new APIError({ status: 200, headers: new Headers() }, {}, "What is told on the stream is no event.");
}
