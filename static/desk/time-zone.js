// @ts-check
// Select the browser's time zone, unless the form comes back with one that was selected before.

/**
 * Return how the browser spells a time zone.
 * @param {string} zone
 */
function spelled(zone) {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    return ""; // the browser doesn't know it
  }
}

/** @type {NodeListOf<HTMLSelectElement>} */
const selects = document.querySelectorAll("select[data-zone]");
for (const select of selects) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!zone) continue;
  const zones = Array.from(select.options, (option) => option.value);
  // The browser may use an older spelling than the list, also of what is in the list.
  select.value = zones.includes(zone) ? zone : (zones.find((one) => spelled(one) === zone) ?? select.value);
}
