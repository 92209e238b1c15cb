// @ts-check
// Show the API reference with Swagger UI: without the parts that the page already has, and with the labels that screen
// readers need.
addEventListener("DOMContentLoaded", () => {
  const viewer = /** @type {HTMLElement} */ (document.getElementById("viewer"));

  /**
   * Search the summaries, ids and paths of operations. Swagger UI itself searches only the tags.
   * @param {SwaggerTags} tags
   * @param {string} phrase
   */
  function filterOperations(tags, phrase) {
    const words = phrase.toLowerCase().split(/\s+/);
    return tags
      .map((tag) =>
        tag.set(
          "operations",
          tag.get("operations").filter((operation) => {
            const text = [
              operation.get("path"),
              operation.get("method"),
              operation.getIn(["operation", "summary"]),
              operation.getIn(["operation", "operationId"]),
            ].join(" ");
            return words.every((word) => text.toLowerCase().includes(word));
          }),
        ),
      )
      .filter((tag) => tag.get("operations").size > 0);
  }

  /** @param {SwaggerSystem} system */
  const plugin = ({ React: { createElement: element } }) => ({
    fn: { opsFilter: filterOperations },
    components: {
      // The page around the viewer has the title, the address and the landmarks.
      DocsLayout: (/** @type {SwaggerProps} */ { getComponent, specSelectors }) =>
        element(
          "div",
          { className: "swagger-ui" },
          element(getComponent("SvgAssets")),
          element(getComponent("errors", true)),
          specSelectors.loadingStatus() === "success" &&
            element(
              "div",
              null,
              element(
                "div",
                { className: "tools" },
                element(getComponent("FilterContainer", true)),
                element(getComponent("AuthorizeBtnContainer", true)),
              ),
              element(getComponent("operations", true)),
            ),
        ),
    },
    wrapComponents: {
      OperationLink: () => () => null,
      // A link within a button can't be reached by keyboard. The button does the same.
      DeepLink:
        () =>
        (/** @type {{ text: string }} */ { text }) =>
          element("span", null, text),
    },
  });

  SwaggerUIBundle({
    url: viewer.dataset.document,
    domNode: viewer,
    plugins: [plugin],
    layout: "DocsLayout",
    deepLinking: true,
    filter: true,
    docExpansion: "list",
    defaultModelExpandDepth: 2,
    displayRequestDuration: true,
    syntaxHighlight: false,
    validatorUrl: null,
    // The document names the public address of this instance, but the page may be open at another one.
    requestInterceptor(/** @type {{ url: string }} */ request) {
      const { pathname, search } = new URL(request.url, location.href);
      request.url = location.origin + pathname + search;
      return request;
    },
    onComplete() {
      const list = document.getElementById("list");
      if (list) list.hidden = true;
      addLabels();
      new MutationObserver(addLabels).observe(viewer, { childList: true, subtree: true });
    },
  });

  /** Label the fields that have no label, and make scrolling parts reachable by keyboard. */
  function addLabels() {
    label(".operation-filter-input", "Search the operations");
    label("textarea", "Request body");
    label(".parameters select", "Parameter value");
    label("select", "Option");
    /** @type {NodeListOf<HTMLElement>} */
    const blocks = viewer.querySelectorAll("pre:not([tabindex])");
    for (const block of blocks) block.tabIndex = 0;
  }

  /**
   * @param {string} selector
   * @param {string} text
   */
  function label(selector, text) {
    for (const field of viewer.querySelectorAll(`${selector}:not([aria-label])`))
      field.setAttribute("aria-label", text);
  }
});
