/** Runs the contract's scenario (clients/contract/README.md) with the public API of this library. */

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
const harnessReplies = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

function createClient(name, { key = BLOGSVC_API_KEY, url = BLOGSVC_URL, options = {} }) {
  logs[name] = [];
  keys[name] = key;
  clients[name] = new Client({ apiKey: key, baseUrl: url, ...options, log: (entry) => logs[name].push(entry) });
}

// --- Input of a step

function fill(value) {
  if (typeof value === "string") return fillText(value);
  if (Array.isArray(value)) return value.map(fill);
  if (typeof value !== "object" || value === null) return value;
  const [[name, argument] = []] = Object.entries(value);
  return name?.startsWith("$") ? callFunction(name, argument) : fillFields(value);
}

function fillFields(fields) {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, fill(value)]));
}

function fillText(text) {
  const whole = /^\$\{([^}]*)\}$/.exec(text);
  return whole ? at(variables, whole[1]) : text.replace(/\$\{([^}]*)\}/g, (_, path) => at(variables, path));
}

function callFunction(name, argument) {
  const file = join(dirname(scenario), String(argument));
  switch (name) {
    case "$repeat":
      return argument[0].repeat(argument[1]);
    case "$time":
      return new Date(argument);
    case "$in":
      return new Date(Date.now() + argument * 1000);
    case "$path":
      return file;
    case "$open":
      return createReadStream(file);
    case "$text":
      return readFileSync(file, "utf-8");
  }
  throw new Error(`unknown function ${name}`);
}

// --- Output of a step

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
  throw new Error(`unknown filter |${name}`);
}

function show(source, step, extra = {}) {
  return (step.show ?? []).map((path) => {
    const value = path in extra ? extra[path] : at(path.split("|")[0] in extra ? extra : source, path);
    return `${path}=${JSON.stringify(value)}`;
  });
}

function errorKind(error) {
  return error.name.replace(/Error$/, "");
}

function errorLine(error, step) {
  const fields = (error.errors ?? []).map(({ pointer, parameter, code }) => `${pointer ?? parameter}:${code}`);
  const parts = [errorKind(error), error.status, error.slug, ...fields].filter(
    (part) => part !== undefined && part !== null,
  );
  const hidesKey = !error.message.includes(keys[step.client ?? "main"]);
  return ["!", ...parts, ...show(error, step, { "message|hidesKey": hidesKey })].join(" ");
}

function print(line) {
  writeSync(1, `${line}\n`);
}

function report(step, output) {
  print(`${step.name}: ${output.join(" ") || "done"}`);
}

function save(step, value) {
  for (const [name, path] of Object.entries(step.save ?? {})) variables[name] = at(value, path);
}

// --- Steps

function callMethod(step, name, ...extra) {
  const [resource, method] = name.split(".");
  const owner = method ? clients[step.client ?? "main"][resource] : clients[step.client ?? "main"];
  const args = [...(step.args ?? []).map(fill), ...("fields" in step ? [fill(step.fields)] : [])];
  return owner[method ?? resource](...args, { ...fillFields(step.options ?? {}), ...Object.assign({}, ...extra) });
}

async function call(step) {
  let progress = 0;
  const extra = step.call === "posts.wait" ? [{ onProgress: () => (progress += 1) }] : [];
  const result = await callMethod(step, step.call, ...extra);
  save(step, result);
  report(step, show(result, step, { progress }));
}

/** Iterates over a list or a stream and runs the steps after some rows. */
async function iterate(step, iterable) {
  const rows = [];
  for await (const row of iterable) {
    rows.push(at(row, step.row));
    for (const inner of step.stepsAfter?.[rows.length] ?? []) await run(inner);
    if (rows.length === step.until) break;
  }
  report(step, [`rows=${JSON.stringify(rows)}`]);
}

async function pages(step) {
  const lengths = [];
  for await (const page of callMethod(step, step.pages).pages()) lengths.push(page.data.length);
  report(step, [`pages=${JSON.stringify(lengths)}`]);
}

async function harness(step) {
  print(`@${fillText(step.harness)}`);
  const reply = JSON.parse((await harnessReplies.next()).value);
  save(step, reply);
  if (step.show) report(step, show(reply, step));
}

async function verify(step) {
  const { secret, body, headers, now } = step.verify;
  const message = await new Webhook(secret).verify(body, headers, new Date(now * 1000));
  report(step, show(message, step));
}

function log(step) {
  const lines = logs[step.log].splice(0).map(({ method, attempt, status, error, retryIn }) => {
    const outcome = status ?? error.replace(/Error$/, "");
    return `${method} ${attempt} ${outcome}${retryIn === null ? "" : " retry"}`;
  });
  report(step, [`log=${JSON.stringify(lines)}`]);
}

function inspectClient(step) {
  const client = clients[step.inspect];
  const texts = [
    inspect(client, { depth: 20, showHidden: true }),
    JSON.stringify(client),
    String(client),
    `${client.posts}`,
  ];
  report(step, [`hidden=${texts.every((text) => !text.includes(keys[step.inspect]))}`]);
}

const STEPS = {
  call,
  iterate: (step) => iterate(step, callMethod(step, step.iterate)),
  pages,
  stream: (step) => iterate(step, callMethod({ ...step, fields: step.stream }, "events.stream")),
  harness,
  verify,
  log,
  inspect: inspectClient,
  client: (step) => createClient(step.client, fill({ key: step.key, url: step.url, options: step.options })),
};

async function run(step) {
  const kind = Object.keys(STEPS).find((name) => name in step);
  try {
    await STEPS[kind](step);
  } catch (error) {
    if (!(error instanceof BlogsvcError)) throw error;
    save(step, error);
    report(step, [errorLine(error, step)]);
  }
}

createClient("main", { options: { retryFor: 120 } });
for (const step of JSON.parse(readFileSync(scenario, "utf-8")).steps) await run(step);
process.stdin.destroy();
