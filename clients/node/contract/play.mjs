/** Plays the contract (clients/contract/README.md) through the public face of this library. */

import { createReadStream, readFileSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { inspect } from "node:util";

import { BlogsvcError, Client, Webhook } from "../src/index.js";

const scenario = process.argv[2];
const { RUN, PLATFORM, HOOK, BLOGSVC_API_KEY, BLOGSVC_URL } = process.env;
const variables = { run: RUN, platform: PLATFORM, hook: HOOK, key: BLOGSVC_API_KEY };
const clients = {};
const logs = {};
const keys = {};
const answers = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

function connect(name, { key = BLOGSVC_API_KEY, url = BLOGSVC_URL, options = {} }) {
  logs[name] = [];
  keys[name] = key;
  clients[name] = new Client({ apiKey: key, baseUrl: url, ...options, log: (entry) => logs[name].push(entry) });
}

// --- What a step sends

function filled(value) {
  if (typeof value === "string") return filledText(value);
  if (Array.isArray(value)) return value.map(filled);
  if (typeof value !== "object" || value === null) return value;
  const [[word, said] = []] = Object.entries(value);
  return word?.startsWith("$") ? special(word, said) : mapped(value);
}

function mapped(fields) {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, filled(value)]));
}

function filledText(text) {
  const whole = /^\$\{([^}]*)\}$/.exec(text);
  return whole ? at(variables, whole[1]) : text.replace(/\$\{([^}]*)\}/g, (_, path) => at(variables, path));
}

function special(word, said) {
  const file = join(dirname(scenario), String(said));
  switch (word) {
    case "$repeat":
      return said[0].repeat(said[1]);
    case "$time":
      return new Date(said);
    case "$in":
      return new Date(Date.now() + said * 1000);
    case "$path":
      return file;
    case "$open":
      return createReadStream(file);
    case "$text":
      return readFileSync(file, "utf-8");
  }
  throw new Error(`nothing is called ${word}`);
}

// --- What it shows

function at(value, path) {
  const [names, ...filters] = path.split("|");
  const found = names === "" ? value : names.split(".").reduce((one, name) => one?.[name] ?? null, value);
  return filters.reduce(filter, found ?? null);
}

function filter(value, name) {
  switch (name) {
    case "length":
      return [...value].length;
    case "type":
      return value === null ? "null" : Array.isArray(value) ? "list" : typeof value;
    case "time":
      return value && new Date(value).toISOString().replace(".000Z", "Z");
    case "sorted":
      return [...value].sort();
  }
  throw new Error(`nothing is called |${name}`);
}

function shown(source, step, extra = {}) {
  return (step.show ?? []).map((path) => {
    const value = path in extra ? extra[path] : at(path.split("|")[0] in extra ? extra : source, path);
    return `${path}=${JSON.stringify(value)}`;
  });
}

function kindOf(error) {
  return error.name.replace(/Error$/, "");
}

function failure(error, step) {
  const faults = (error.errors ?? []).map(({ pointer, parameter, code }) => `${pointer ?? parameter}:${code}`);
  const about = [kindOf(error), error.status, error.slug, ...faults].filter(
    (word) => word !== undefined && word !== null,
  );
  const keyless = !error.message.includes(keys[step.client ?? "main"]);
  return ["!", ...about, ...shown(error, step, { "message|keyless": keyless })].join(" ");
}

function print(line) {
  writeSync(1, `${line}\n`);
}

function tell(step, words) {
  print(`${step.does}: ${words.join(" ") || "done"}`);
}

function keep(step, value) {
  for (const [name, path] of Object.entries(step.keep ?? {})) variables[name] = at(value, path);
}

// --- Steps

function method(step, name, ...extra) {
  const [resource, verb] = name.split(".");
  const owner = verb ? clients[step.client ?? "main"][resource] : clients[step.client ?? "main"];
  const given = [...(step.ids ?? []).map(filled), ...("with" in step ? [filled(step.with)] : [])];
  return owner[verb ?? resource](...given, { ...mapped(step.options ?? {}), ...Object.assign({}, ...extra) });
}

async function call(step) {
  let progress = 0;
  const extra = step.call === "posts.wait" ? [{ onProgress: () => (progress += 1) }] : [];
  const answer = await method(step, step.call, ...extra);
  keep(step, answer);
  tell(step, shown(answer, step, { progress }));
}

/** The rows of a list or a stream, with steps in between. */
async function rows(step, iterable) {
  const found = [];
  for await (const row of iterable) {
    found.push(at(row, step.row));
    for (const inner of step.at?.[found.length] ?? []) await play(inner);
    if (found.length === step.until) break;
  }
  tell(step, [`rows=${JSON.stringify(found)}`]);
}

async function pages(step) {
  const lengths = [];
  for await (const page of method(step, step.pages).pages()) lengths.push(page.data.length);
  tell(step, [`pages=${JSON.stringify(lengths)}`]);
}

async function harness(step) {
  print(`@${filledText(step.harness)}`);
  const said = JSON.parse((await answers.next()).value);
  keep(step, said);
  if (step.show) tell(step, shown(said, step));
}

async function verify(step) {
  const { secret, body, headers, now } = step.verify;
  const message = await new Webhook(secret).verify(body, headers, new Date(now * 1000));
  tell(step, shown(message, step));
}

function log(step) {
  const lines = logs[step.log].splice(0).map(({ method, attempt, status, error, retryIn }) => {
    const outcome = status ?? error.replace(/Error$/, "");
    return `${method} ${attempt} ${outcome}${retryIn === null ? "" : " again"}`;
  });
  tell(step, [`log=${JSON.stringify(lines)}`]);
}

function text(step) {
  const client = clients[step.text];
  const forms = [
    inspect(client, { depth: 20, showHidden: true }),
    JSON.stringify(client),
    String(client),
    `${client.posts}`,
  ];
  tell(step, [`hidden=${forms.every((form) => !form.includes(keys[step.text]))}`]);
}

const STEPS = {
  call,
  walk: (step) => rows(step, method(step, step.walk)),
  pages,
  stream: (step) => rows(step, method({ ...step, with: step.stream }, "events.stream")),
  harness,
  verify,
  log,
  text,
  client: (step) => connect(step.client, filled({ key: step.key, url: step.url, options: step.options })),
};

async function play(step) {
  const verb = Object.keys(STEPS).find((name) => name in step);
  try {
    await STEPS[verb](step);
  } catch (error) {
    if (!(error instanceof BlogsvcError)) throw error;
    tell(step, [failure(error, step)]);
  }
}

connect("main", { options: { maxRetries: 8 } });
for (const step of JSON.parse(readFileSync(scenario, "utf-8")).steps) await play(step);
process.stdin.destroy();
