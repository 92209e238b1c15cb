// The browser knows the time zone: it is chosen, unless the form comes back with what was chosen before.
for (const select of document.querySelectorAll("select[data-zone]")) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!zone) continue;
  // It may be an older spelling than those in the list.
  if (![...select.options].some((option) => option.value === zone)) select.add(new Option(zone, zone));
  select.value = zone;
}
