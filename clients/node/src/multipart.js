/** File uploads as multipart/form-data. The form is encoded once, so that each attempt sends the same bytes. */

import { ConfigurationError } from "./errors.js";
import { builtin, uuid } from "./runtime.js";

/**
 * Encodes a form with a file and other fields (RFC 7578; names are escaped as in the HTML standard).
 *
 * @param {unknown} file
 * @param {string | undefined} filename
 * @param {Record<string, unknown>} fields
 */
export async function encodeForm(file, filename, fields) {
  const { blob, name = "" } = await read(file);
  if (!(filename ?? name)) throw new ConfigurationError("The file has no name. Pass the option `filename`.");
  const boundary = `blogsvc-${await uuid()}`;
  const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  const form = blobOf([
    ...given.flatMap(([field, value]) => part(boundary, `name="${escaped(field)}"`, value)),
    ...part(boundary, `name="file"; filename="${escaped(filename ?? name)}"`, blob),
    `--${boundary}--\r\n`,
  ]);
  return { type: `multipart/form-data; boundary=${boundary}`, bytes: await form.arrayBuffer() };
}

function part(boundary, names, content) {
  return [`--${boundary}\r\nContent-Disposition: form-data; ${names}\r\n\r\n`, content, "\r\n"];
}

function escaped(text) {
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
  throw new ConfigurationError("The file must be a path, a Blob, bytes or a stream.");
}

async function readPath(path) {
  const [fs, paths, urls] = await Promise.all(["fs/promises", "path", "url"].map(builtin)).catch((cause) => {
    throw new ConfigurationError("A path requires Node.js. Pass a Blob, such as the File of an <input>.", { cause });
  });
  const name = paths.basename(path instanceof URL ? urls.fileURLToPath(path) : path);
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
