// @ts-check
// Leads addresses such as /post#setup to the part of the text that has this name. The ids of texts have a prefix.
function arrive() {
  const name = decoded(location.hash.slice(1));
  if (!name || document.getElementById(name)) {
    return;
  }
  const id = `in-${name.replace(/[^\p{L}\p{N}_:.-]+/gu, "-")}`;
  const place = document.querySelector(`[data-name="${CSS.escape(name)}"]`) ?? document.getElementById(id);
  if (place) {
    location.replace(`#${place.id}`); // makes it the target, as a link does, and leaves no page in the history
    place.scrollIntoView(); // also if the page is still scrolling elsewhere
  }
}

/** @param {string} fragment */
function decoded(fragment) {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

addEventListener("hashchange", arrive);
arrive();
