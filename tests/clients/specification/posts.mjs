// All operations of the specification with fetch. It needs KEY, BASE and PLATFORM.
const { KEY, BASE, PLATFORM } = process.env;

async function call(method, path, body) {
  const response = await fetch(`${BASE}/api/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${KEY}`, "Content-Type": "application/json" },
    body: body && JSON.stringify(body),
  });
  const document = await response.json();
  if (!response.ok) throw new Error(JSON.stringify(document));
  return document;
}

const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
const post = { title: "Hello", content: "From JavaScript.", platforms: [PLATFORM], scheduledAt };
const { id } = await call("POST", "/posts", post);
console.log("created");
await call("GET", "/posts");
console.log("listed");
await call("PUT", `/posts/${id}`, { title: "Hello again" });
console.log("updated");
await call("POST", `/posts/${id}/publish`);
console.log("published");
await call("GET", "/analytics");
console.log("measured");
await call("DELETE", `/posts/${id}`);
console.log("deleted");
