// @ts-check
// Select the browser's time zone, unless the form comes back with one that was selected before.

/** @type {NodeListOf<HTMLSelectElement>} */
const selects = document.querySelectorAll("select[data-zone]");
for (const select of selects) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!zone) continue;
  // The browser may use an older spelling than the list.
  if (![...select.options].some((option) => option.value === zone)) select.add(new Option(zone, zone));
  select.value = zone;
}
