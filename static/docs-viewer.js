"use strict";
// Swagger UI in the page: without what our page says itself, and with what it lacks for keyboards and screen readers.
addEventListener("DOMContentLoaded", () => {
  const place = document.getElementById("viewer");

  // It looks at tags and paths alone; people look for what an operation does.
  const opsFilter = (tags, phrase) => {
    const words = phrase.toLowerCase().split(/\s+/);
    const text = (found) =>
      [
        found.get("path"),
        found.get("method"),
        found.getIn(["operation", "summary"]),
        found.getIn(["operation", "operationId"]),
      ]
        .join(" ")
        .toLowerCase();
    return tags
      .map((tag) =>
        tag.set(
          "operations",
          tag.get("operations").filter((o) => words.every((w) => text(o).includes(w))),
        ),
      )
      .filter((tag) => tag.get("operations").size);
  };

  const ours = ({ React: { createElement: element } }) => ({
    fn: { opsFilter },
    components: {
      // The page around it has the title, the address and the landmarks.
      OurLayout: ({ getComponent, specSelectors }) =>
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
      // A link within a button can be reached by no keyboard; the button opens the same.
      DeepLink:
        () =>
        ({ text }) =>
          element("span", null, text),
    },
  });

  SwaggerUIBundle({
    url: place.dataset.document,
    domNode: place,
    plugins: [ours],
    layout: "OurLayout",
    deepLinking: true,
    filter: true,
    docExpansion: "list",
    defaultModelExpandDepth: 2,
    displayRequestDuration: true,
    syntaxHighlight: false,
    validatorUrl: null,
    onComplete: () => {
      document.getElementById("list").hidden = true;
      mend();
      new MutationObserver(mend).observe(place, { childList: true, subtree: true });
    },
  });

  // Names for what has none, and a way in by keyboard for what scrolls.
  const mend = () => {
    const name = (selector, label) =>
      place
        .querySelectorAll(`${selector}:not([aria-label])`)
        .forEach((found) => found.setAttribute("aria-label", label));
    name(".operation-filter-input", "Search the operations");
    name("textarea", "The body that is sent");
    name(".parameters select", "The parameter's value");
    name("select", "Choose");
    place.querySelectorAll("pre:not([tabindex])").forEach((found) => {
      found.tabIndex = 0;
    });
  };
});
