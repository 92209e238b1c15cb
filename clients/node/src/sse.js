/** Parser for server-sent events (HTML Living Standard, 9.2.6). */

/**
 * Yields the events of a text that arrives in chunks. An event without data only sets the last event id.
 *
 * @param {AsyncIterable<string>} chunks
 * @returns {AsyncGenerator<{id: string | null, data: string | null}>}
 */
export async function* parseEvents(chunks) {
  /** @type {string | null} */
  let id = null;
  /** @type {string[]} */
  let data = [];
  for await (const line of lines(chunks)) {
    const [name, ...values] = line.split(":");
    const value = values.join(":").replace(/^ /, "");
    if (name === "id") id = value;
    if (name === "data") data.push(value);
    if (line === "" && (id !== null || data.length > 0)) {
      yield { id, data: data.length > 0 ? data.join("\n") : null };
      data = [];
    }
  }
}

/** Yields the complete lines. */
async function* lines(chunks) {
  let rest = "";
  for await (const chunk of chunks) {
    rest += chunk;
    // A carriage return at the end may be the first half of \r\n.
    const text = rest.endsWith("\r") ? rest.slice(0, -1) : rest;
    const found = text.split(/\r\n|\n|\r/);
    rest = found.pop() + rest.slice(text.length);
    yield* found;
  }
}
