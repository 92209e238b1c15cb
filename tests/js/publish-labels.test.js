import assert from "node:assert/strict";
import { test } from "node:test";
import { buttonLabel, shortTime, summary, zoneLabel } from "../../static/desk/publish-labels.js";

const BLOG = { name: "site", label: "This blog", does: "create", waits: "" };
const MASTODON = { name: "mastodon", label: "Mastodon", does: "create", waits: "" };
const WORDPRESS = { name: "wordpress", label: "WordPress", does: "create", waits: "account" };
const MEDIUM = { name: "medium", label: "Medium", does: "create", waits: "hand" };
const DEV = { name: "devto", label: "DEV", does: "create", waits: "account" };
const UPDATED = { ...BLOG, does: "update" };

test("the button says what it does, and counts only what is sent", () => {
  assert.equal(buttonLabel([BLOG], "now"), "Publish on this blog");
  assert.equal(buttonLabel([MASTODON, DEV], "now"), "Publish on Mastodon");
  assert.equal(buttonLabel([BLOG, MASTODON, WORDPRESS], "now"), "Publish to 2 destinations");
  assert.equal(buttonLabel([BLOG, MASTODON], "Tue 24 Nov, 09:00"), "Schedule for Tue 24 Nov, 09:00");
  assert.equal(buttonLabel([BLOG], ""), "Schedule");
});

test("the button names the account that everything waits for", () => {
  assert.equal(buttonLabel([WORDPRESS], "now"), "Publish when WordPress is connected");
  assert.equal(buttonLabel([WORDPRESS, DEV], "now"), "Publish when 2 destinations are connected");
  assert.equal(buttonLabel([], "now"), "Publish");
});

test("the button of a published post tells updates from first publications", () => {
  assert.equal(buttonLabel([UPDATED], "now"), "Publish changes");
  assert.equal(buttonLabel([UPDATED, MASTODON], "now"), "Publish changes");
  assert.equal(buttonLabel([MASTODON], "now"), "Publish on Mastodon");
  assert.equal(buttonLabel([], "now"), "Publish");
  assert.equal(summary([UPDATED, MASTODON, DEV], "now"), "Update: This blog. Publish: Mastodon. Waiting for you: DEV.");
});

test("the button says that only a person posts", () => {
  assert.equal(buttonLabel([MEDIUM], "now"), "Publish by hand");
  assert.equal(buttonLabel([MEDIUM, DEV], "now"), "Publish by hand");
  assert.equal(buttonLabel([BLOG, MEDIUM], "now"), "Publish on this blog");
  assert.equal(summary([BLOG, MEDIUM], "now"), "Now: This blog. Waiting for you: Medium.");
});

test("the line beside the button names what is sent and what waits", () => {
  assert.equal(
    summary([BLOG, WORDPRESS, MASTODON, DEV], "now"),
    "Now: This blog, Mastodon. Waiting for you: WordPress, DEV.",
  );
  assert.equal(summary([BLOG], "Tue 24 Nov, 09:00"), "Then: This blog.");
  assert.equal(summary([WORDPRESS], "now"), "Waiting for you: WordPress.");
  assert.equal(summary([], "now"), "Select a destination.");
  assert.equal(summary([BLOG], ""), "Enter a time. Then: This blog.");
  const question = "Choose which 02:30 you mean.";
  assert.equal(summary([BLOG], "Sun 31 Oct, 02:30", question), `${question} Then: This blog.`);
});

test("a time is shown with its weekday, and with the year if it is another one", () => {
  const now = new Date("2026-11-22T12:00").getTime();
  assert.equal(shortTime("2026-11-24T09:00", now), "Tue 24 Nov, 09:00");
  assert.equal(shortTime("2026-09-24T18:30", now), "Thu 24 Sep, 18:30");
  assert.equal(shortTime("2027-01-05T09:00", now), "Tue 5 Jan 2027, 09:00");
  assert.equal(shortTime("", now), "");
});

test("the offset of a time zone is the one at the chosen time", () => {
  assert.equal(zoneLabel("Europe/Berlin", "2031-07-24T18:00"), "Europe/Berlin (UTC+2)");
  assert.equal(zoneLabel("Europe/Berlin", "2031-01-24T18:00"), "Europe/Berlin (UTC+1)");
  assert.equal(zoneLabel("America/New_York", "2031-01-24T18:00"), "America/New_York (UTC−5)");
  assert.equal(zoneLabel("UTC", "2031-01-24T18:00"), "UTC");
  assert.equal(zoneLabel("Europe/Berlin", ""), "");
});
