import assert from "node:assert/strict";
import { test } from "node:test";
import { publishLabel, shortTime, updateLabel, zoneLabel } from "../../static/desk/publish-labels.js";

test("the button says how many destinations are published to, and when", () => {
  assert.equal(publishLabel(1, "now"), "Publish to 1 destination");
  assert.equal(publishLabel(3, "now"), "Publish to 3 destinations");
  assert.equal(publishLabel(2, "Tue 09:00"), "Schedule for Tue 09:00 to 2 destinations");
  assert.equal(publishLabel(2, ""), "Enter a time");
  assert.equal(publishLabel(0, "now"), "Select a destination");
});

test("the button of a published post tells updates from first publications", () => {
  assert.equal(updateLabel(2, 0), "Update 2 destinations");
  assert.equal(updateLabel(0, 1), "Publish to 1 destination");
  assert.equal(updateLabel(2, 1), "Update 2, publish to 1");
  assert.equal(updateLabel(0, 0), "Select a destination");
});

test("a time within six days is shown by its weekday", () => {
  const now = new Date("2026-11-22T12:00").getTime();
  assert.equal(shortTime("2026-11-24T09:00", now), "Tue 09:00");
  assert.equal(shortTime("2026-12-24T18:30", now), "24 Dec 18:30");
  assert.equal(shortTime("2027-01-05T09:00", now), "5 Jan 2027, 09:00");
  assert.equal(shortTime("2026-11-22T11:59", now), "22 Nov 11:59");
  assert.equal(shortTime("", now), "");
});

test("the offset of a time zone is the one at the chosen time", () => {
  assert.equal(zoneLabel("Europe/Berlin", "2031-07-24T18:00"), "Europe/Berlin (UTC+2)");
  assert.equal(zoneLabel("Europe/Berlin", "2031-01-24T18:00"), "Europe/Berlin (UTC+1)");
  assert.equal(zoneLabel("America/New_York", "2031-01-24T18:00"), "America/New_York (UTC−5)");
  assert.equal(zoneLabel("UTC", "2031-01-24T18:00"), "UTC");
  assert.equal(zoneLabel("Europe/Berlin", ""), "");
});
