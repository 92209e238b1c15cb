// Write, publish and read a post on a real server, with openapi-fetch and the types of the document.
import createClient from "openapi-fetch";
import type { paths } from "./openapi.js";

const client = createClient<paths>({
  baseUrl: `${process.env.BLOGSVC_URL}/api/v1`,
  headers: { Authorization: `Bearer ${process.env.BLOGSVC_API_KEY}` },
});

const created = await client.POST("/posts", { body: { title: "Gold", content: "Up.", tags: ["prices"] } });
if (created.error) throw new Error(created.error.detail);
const path = { post_id: created.data.id };
await client.PATCH("/posts/{post_id}", { params: { path }, body: { summary: "By a tenth." } });
const published = await client.POST("/posts/{post_id}/publish", {
  params: { path, header: { Prefer: "wait=20" } },
});
if (published.error) throw new Error(published.error.detail);
const found = await client.GET("/posts", { params: { query: { tag: ["prices"], fields: ["title", "status", "summary"] } } });
if (found.error) throw new Error(found.error.detail);
console.log(JSON.stringify(found.data.data));
const refused = await client.POST("/posts", { body: { title: "" } });
console.log(refused.error?.errors?.[0]?.pointer);
