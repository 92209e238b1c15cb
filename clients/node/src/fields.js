/** How ids, queries and bodies are written. */

import { ConfigurationError } from "./errors.js";

/**
 * The path of words and ids, each of which stays one part of it.
 *
 * @param {readonly (string | number)[]} parts
 */
export function pathOf(parts) {
  return parts.map((part) => `/${segment(part)}`).join("");
}

function segment(id) {
  const text = typeof id === "number" ? String(id) : id;
  // A dot and two dots would be taken for steps to elsewhere, even percent-encoded.
  if (typeof text !== "string" || ["", ".", ".."].includes(text)) {
    throw new ConfigurationError(`${JSON.stringify(id) ?? "undefined"} is no id.`);
  }
  try {
    return encodeURIComponent(text);
  } catch (cause) {
    throw new ConfigurationError("An id holds half a character.", { cause });
  }
}

/**
 * A query, with its question mark; what is null or undefined is not in it.
 *
 * @param {Record<string, unknown>} fields
 */
export function queryString(fields) {
  const query = new URLSearchParams();
  for (const [name, given] of Object.entries(fields)) {
    for (const value of Array.isArray(given) ? given : [given ?? undefined]) {
      if (value !== undefined) query.append(name, value instanceof Date ? timeText(name, value) : String(value));
    }
  }
  const text = query.toString();
  return text && `?${text}`;
}

/** JSON. What it would make null by itself, and so clear a field, is refused. */
export function jsonText(fields) {
  return JSON.stringify(fields, function (name, value) {
    // What was there before `toJSON` made null of a time that is none.
    const given = this[name];
    if (given instanceof Date) return timeText(name, given);
    if (typeof value === "number" && !Number.isFinite(value)) {
      throw new ConfigurationError(`\`${name}\` is ${value}, which JSON does not know.`);
    }
    return value;
  });
}

function timeText(name, time) {
  if (Number.isNaN(time.getTime())) throw new ConfigurationError(`\`${name}\` is a Date that is no time.`);
  return time.toISOString();
}
