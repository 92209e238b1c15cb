/** The event stream, which reconnects after the connection drops. */

import { APIError, ConnectionError } from "./errors.js";
import { deepFreeze, parseObject } from "./response.js";
import { backoff } from "./retries.js";
import { parseEvents } from "./sse.js";
import { sleep } from "./timeout.js";

// Seconds. The server sends a comment every 15 s, so a stream that is silent for longer is broken.
const IDLE_TIMEOUT = 45;

/**
 * Yields events as they happen, each once, without end.
 *
 * @param {import("./transport.js").Transport} transport
 * @param {import("./transport.js").Request} request
 * @param {import("./types.js").RequestOptions} [options]
 */
export async function* streamEvents(transport, request, options = {}) {
  // The server sends the id at which the stream starts, so that no event before the first received one is missed.
  /** @type {string | null} */
  let lastEventId = request.query?.after ?? null;
  let failures = 0;
  for (let attempt = await transport.open(request, options); ; attempt = await reconnect(lastEventId)) {
    try {
      for await (const { id, data } of parseEvents(attempt.chunks(IDLE_TIMEOUT))) {
        lastEventId = id ?? lastEventId;
        if (data === null) continue;
        failures = 0;
        yield decodeEvent(data);
      }
      throw new ConnectionError("The stream has ended.");
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      const retryIn = backoff(failures);
      transport.logDisconnect(attempt, error, retryIn);
      await sleep(retryIn, options.signal);
    }
    failures += 1;
  }

  // After the first connection, the number of retries is unlimited. Errors that a retry can't fix are still thrown.
  function reconnect(id) {
    return transport.open(request, { ...options, maxRetries: Infinity }, id);
  }
}

function decodeEvent(data) {
  const event = parseObject(data);
  if (event) return deepFreeze(event);
  throw new APIError({ status: 200, headers: new Headers() }, {}, "The data of a stream event is not a JSON object.");
}
