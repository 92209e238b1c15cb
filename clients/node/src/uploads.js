/** Files that are uploaded: read whole and put into a form once, so that each attempt sends the same bytes. */

import { ConfigurationError } from "./errors.js";
import { builtin, uuid } from "./runtime.js";

/**
 * A form with a file and the fields beside it, as it is sent (RFC 7578, with the names as the HTML standard has them).
 *
 * @param {unknown} file
 * @param {string | undefined} filename
 * @param {Record<string, unknown>} fields
 */
export async function encodedForm(file, filename, fields) {
  const { blob, name = "" } = await read(file);
  if (!(filename ?? name)) throw new ConfigurationError("What is uploaded has no name: give the option `filename`.");
  const boundary = `blogsvc-${await uuid()}`;
  const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  const form = blobOf([
    ...given.flatMap(([field, value]) => part(boundary, `name="${quoted(field)}"`, value)),
    ...part(boundary, `name="file"; filename="${quoted(filename ?? name)}"`, blob),
    `--${boundary}--\r\n`,
  ]);
  return { type: `multipart/form-data; boundary=${boundary}`, bytes: await form.arrayBuffer() };
}

function part(boundary, names, content) {
  return [`--${boundary}\r\nContent-Disposition: form-data; ${names}\r\n\r\n`, content, "\r\n"];
}

function quoted(text) {
  return text.replace(/["\r\n]/g, encodeURIComponent);
}

/**
 * @param {any} file
 * @returns {Promise<{blob: Blob, name?: string}>}
 */
async function read(file) {
  if (typeof file === "string" || file instanceof URL) return readPath(file);
  if (file instanceof Blob) return { blob: file, name: "name" in file ? String(file.name) : undefined };
  if (file instanceof ArrayBuffer || file instanceof Uint8Array) return { blob: blobOf([file]) };
  if (file instanceof ReadableStream) return { blob: await new Response(file).blob() };
  if (file?.[Symbol.asyncIterator]) return { blob: blobOf(await collected(file)) };
  throw new ConfigurationError("What is uploaded is a path, a Blob, bytes or a stream.");
}

async function readPath(path) {
  const [fs, names, urls] = await Promise.all(["fs/promises", "path", "url"].map(builtin)).catch((cause) => {
    throw new ConfigurationError("There are no paths here: give a Blob, such as the File of an input.", { cause });
  });
  const name = names.basename(path instanceof URL ? urls.fileURLToPath(path) : path);
  return { blob: new Blob([await fs.readFile(path)]), name };
}

/** @param {any[]} parts */
function blobOf(parts) {
  return new Blob(parts);
}

async function collected(stream) {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return parts;
}
