/** Encodes paths, queries and bodies. */

import { ConfigurationError } from "./errors.js";

/**
 * Encodes a path, so that no segment can change its structure.
 *
 * @param {readonly (string | number)[]} segments
 */
export function encodePath(segments) {
  return segments.map((one) => `/${encodeSegment(one)}`).join("");
}

function encodeSegment(id) {
  const text = typeof id === "number" ? String(id) : id;
  // Servers and proxies resolve `.` and `..`, even percent-encoded.
  if (typeof text !== "string" || ["", ".", ".."].includes(text)) {
    throw new ConfigurationError(`${JSON.stringify(id) ?? "undefined"} is not a valid id.`);
  }
  try {
    return encodeURIComponent(text);
  } catch (cause) {
    throw new ConfigurationError("An id contains an unpaired surrogate.", { cause });
  }
}

/**
 * Encodes a query string with its question mark, without fields that are null or undefined.
 *
 * @param {Record<string, unknown>} fields
 */
export function encodeQuery(fields) {
  const query = new URLSearchParams();
  for (const [name, given] of Object.entries(fields)) {
    for (const value of Array.isArray(given) ? given : [given ?? undefined]) {
      if (value !== undefined) query.append(name, value instanceof Date ? encodeTime(name, value) : String(value));
    }
  }
  const text = query.toString();
  return text && `?${text}`;
}

/** Encodes JSON. Throws for values that JSON.stringify would turn into null, since null clears a field. */
export function encodeJson(fields) {
  return JSON.stringify(fields, function (name, value) {
    // The value before `toJSON`, which turns an invalid Date into null.
    const given = this[name];
    if (given instanceof Date) return encodeTime(name, given);
    if (typeof value === "number" && !Number.isFinite(value)) {
      throw new ConfigurationError(`\`${name}\` is ${value}, which JSON cannot represent.`);
    }
    return value;
  });
}

function encodeTime(name, time) {
  if (Number.isNaN(time.getTime())) throw new ConfigurationError(`\`${name}\` is an invalid Date.`);
  return time.toISOString();
}
