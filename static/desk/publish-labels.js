// @ts-check
// The label of the button in the publish sheet. It depends on the selection in the sheet.

/** @param {number} count */
const destinations = (count) => `${count} destination${count === 1 ? "" : "s"}`;

/**
 * Return the label for publishing or scheduling a post.
 * @param {number} count The number of selected destinations.
 * @param {string} when "now", or a short date and time; empty if no valid time is entered.
 */
export function publishLabel(count, when) {
  if (!count) return "Select a destination";
  if (when === "now") return `Publish to ${destinations(count)}`;
  return when ? `Schedule for ${when} to ${destinations(count)}` : "Enter a time";
}

/**
 * Return the label for a published post.
 * @param {number} updated The number of destinations whose copy is updated.
 * @param {number} added The number of destinations that get a new copy.
 */
export function updateLabel(updated, added) {
  if (!updated && !added) return "Select a destination";
  if (!added) return `Update ${destinations(updated)}`;
  return updated ? `Update ${updated}, publish to ${added}` : `Publish to ${destinations(added)}`;
}

/**
 * Return a local date and time in short: "Tue 09:00" within the next six days, else "24 Nov 09:00", or "5 Jan 2027,
 * 09:00" in another year. Empty if it is not valid.
 * @param {string} local The value of a date and time field: "2026-11-24T09:00".
 * @param {number} now Milliseconds since 1970.
 */
export function shortTime(local, now) {
  const at = new Date(local);
  const distance = at.getTime() - now;
  if (Number.isNaN(distance)) return "";
  const isNear = distance > 0 && distance < 6 * 86_400_000;
  const hasYear = at.getFullYear() !== new Date(now).getFullYear();
  /** @type {Intl.DateTimeFormatOptions} */
  const date = { day: "numeric", month: "short", ...(hasYear && { year: "numeric" }) };
  const day = at.toLocaleDateString("en-GB", isNear ? { weekday: "short" } : date);
  return `${day}${hasYear && !isNear ? "," : ""} ${local.slice(11, 16)}`;
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
