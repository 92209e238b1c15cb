// @ts-check
// The service worker of the installed app. Keeps what another app shares in the browser, for the page that shows it:
// without a CSRF token, nothing is stored on the server before the user has seen it and starts a draft.

addEventListener("install", () => /** @type {any} */ (self).skipWaiting());

addEventListener("fetch", (/** @type {any} */ event) => {
  /** @type {{ request: Request }} */
  const { request } = event;
  const { pathname } = new URL(request.url);
  if (request.method === "POST" && pathname === "/desk/shared-by-app") event.respondWith(keep(request));
});

/** @param {Request} request */
async function keep(request) {
  const cache = await caches.open("shared-by-app");
  const headers = { "Content-Type": request.headers.get("Content-Type") ?? "" };
  await cache.put(request.url, new Response(await request.blob(), { headers }));
  return Response.redirect(request.url, 303);
}
