/** Server-sent events (HTML Living Standard, 9.2.6). */

/**
 * The messages of a text that comes in parts; one without data tells where in the stream this is, and nothing else.
 *
 * @param {AsyncIterable<string>} parts
 * @returns {AsyncGenerator<{id: string | null, data: string | null}>}
 */
export async function* messages(parts) {
  /** @type {string | null} */
  let id = null;
  /** @type {string[]} */
  let data = [];
  for await (const line of lines(parts)) {
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

/** Lines that ended; one that was broken off is not told. */
async function* lines(parts) {
  let rest = "";
  for await (const part of parts) {
    rest += part;
    // A carriage return may be the first half of a line's end.
    const whole = rest.endsWith("\r") ? rest.slice(0, -1) : rest;
    const found = whole.split(/\r\n|\n|\r/);
    rest = found.pop() + rest.slice(whole.length);
    yield* found;
  }
}
