// @ts-check
// The button of the publish dialog and the line beside it. blogsvc/web/publishing/publish_labels.py has the same words,
// for the first selection.

/** @typedef {{ name: string, label: string, does: string, waits: string }} Selected */

/**
 * Return what the button does. It counts only what is sent.
 * @param {Selected[]} selected
 * @param {string} when "now", or a date and time; empty if no valid time is entered.
 */
export function buttonLabel(selected, when) {
  const sent = selected.filter((one) => !one.waits);
  if (when !== "now") return when ? `Schedule for ${when}` : "Schedule";
  if (sent.some((one) => one.does === "update")) return "Publish changes";
  if (sent.length === 1) return `Publish on ${sent[0].name === "site" ? "this blog" : sent[0].label}`;
  if (sent.length) return `Publish to ${sent.length} destinations`;
  if (!selected.length) return "Publish";
  if (selected.some((one) => one.waits === "hand")) return "Publish by hand";
  const awaited = selected.length === 1 ? `${selected[0].label} is` : `${selected.length} destinations are`;
  return `Publish when ${awaited} connected`;
}

/**
 * Return which destinations are published to, and which wait for a person.
 * @param {Selected[]} selected
 * @param {string} when As for the button.
 * @param {string} question What must be chosen first.
 */
export function summary(selected, when, question = "") {
  if (!selected.length) return "Select a destination.";
  const sent = selected.filter((one) => !one.waits);
  const updated = sent.filter((one) => one.does === "update");
  const added = sent.filter((one) => one.does !== "update");
  /** @type {[string, Selected[]][]} */
  const groups = [
    ["Update", updated],
    [updated.length ? "Publish" : when === "now" ? "Now" : "Then", added],
    ["Waiting for you", selected.filter((one) => one.waits)],
  ];
  const lines = groups
    .filter(([, group]) => group.length)
    .map(([name, group]) => `${name}: ${group.map((one) => one.label).join(", ")}.`);
  return [question || (when ? "" : "Enter a time."), ...lines].filter(Boolean).join(" ");
}

/**
 * Return a local date and time: "Tue 24 Nov, 09:00", with the year if it is another one. Empty if it is not valid.
 * @param {string} local The value of a date and time field: "2026-11-24T09:00".
 * @param {number} now Milliseconds since 1970.
 */
export function shortTime(local, now) {
  const at = new Date(local);
  if (Number.isNaN(at.getTime())) return "";
  const named = (/** @type {Intl.DateTimeFormatOptions} */ part) => at.toLocaleDateString("en-US", part);
  const year = at.getFullYear() === new Date(now).getFullYear() ? "" : ` ${at.getFullYear()}`;
  return `${named({ weekday: "short" })} ${at.getDate()} ${named({ month: "short" })}${year}, ${local.slice(11, 16)}`;
}

/**
 * Return a time zone with its offset at a local date and time, because daylight saving time changes the offset:
 * "Europe/Berlin (UTC+1)". Empty if the time is not valid.
 * @param {string} zone
 * @param {string} local
 */
export function zoneLabel(zone, local) {
  const at = new Date(`${local}Z`);
  if (Number.isNaN(at.getTime())) return "";
  const format = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "shortOffset" });
  const offset = format.formatToParts(at).find((part) => part.type === "timeZoneName")?.value ?? "";
  const label = offset.replace("GMT", "UTC").replace("-", "−").replace(/\+0$/, "");
  return label === zone ? zone : `${zone} (${label})`;
}
