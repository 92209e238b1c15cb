// Compile every schema and parameter of an OpenAPI document with ajv. Patterns are compiled with the flag `u`.
// Usage: node compile.mjs FILE
import { readFileSync } from "node:fs";
import Ajv from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

const document = JSON.parse(readFileSync(process.argv[2], "utf8"));
const ajv = addFormats(new Ajv({ strict: false }));
ajv.addSchema({ $id: "https://openapi.example/document", ...document });
const names = Object.keys(document.components.schemas);
for (const name of names) ajv.compile({ $ref: `https://openapi.example/document#/components/schemas/${name}` });
const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
for (const operation of operations) for (const { schema } of operation.parameters) ajv.compile(schema);
console.log(`${names.length} schemas compiled`);
