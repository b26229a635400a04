// Tests the content of issue mails: locations in the subject, times in the location's zone, all sensors up to the limit (MO-03).
import { expect, test } from "vitest";
import { type AlertedIssue, alertMail } from "./alert-mail.rules.ts";

const issue = (more: Partial<AlertedIssue> & { sensorId: string }): AlertedIssue => ({
  issueType: "connection",
  issueStatus: "Warning",
  message: "The sensor has been offline for 1 day (warning after 1)",
  sinceMs: Date.parse("2027-03-01T11:00:00Z"),
  locationId: "1",
  locationName: "Harbour Shop",
  zone: "Europe/Berlin",
  isOver: false,
  ...more,
});
const at = (n: number, more: Partial<AlertedIssue> = {}) =>
  issue({ sensorId: `S${n}`, locationId: String(n), locationName: `Site ${n}`, ...more });
const nowhere = (n: number) => at(n, { locationId: null, locationName: null, zone: null });
const mailOf = (issues: AlertedIssue[]) =>
  alertMail({ issues, publicUrl: "https://console.example.com", unsubscribeUrl: null, unconfirmed: null });

test.each<[string, AlertedIssue[], string]>([
  ["one sensor", [at(1)], "Warning: sensor S1 at Site 1"],
  ["one sensor twice", [at(1), at(1, { issueType: "osd" })], "Warning: sensor S1 at Site 1"],
  ["an error among warnings", [at(1, { issueStatus: "Error" }), at(2)], "Error: 2 sensors at Site 1 and Site 2"],
  ["two locations of one name", [at(1), at(2, { locationName: "Site 1" })], "Warning: 2 sensors at Site 1 and Site 1"],
  ["three locations", [at(1), at(2), at(3)], "Warning: 3 sensors at Site 1, Site 2 and 1 more location"],
  ["four locations", [1, 2, 3, 4].map((n) => at(n)), "Warning: 4 sensors at Site 1, Site 2 and 2 more locations"],
  ["no location", [nowhere(1), nowhere(2)], "Warning: 2 sensors without a location"],
  ["one without a location", [at(1), nowhere(2)], "Warning: 2 sensors at Site 1 or without a location"],
  ["an all-clear beside it", [at(1), at(2, { issueStatus: "Ok" })], "Warning: sensor S1 at Site 1"],
  ["an all-clear alone", [at(2, { issueStatus: "Ok" })], "Resolved: sensor S2 at Site 2"],
])("MO-03 the subject names the place: %s", (_, issues, subject) => {
  expect(mailOf(issues).subject).toBe(subject);
});

test.each<[string, AlertedIssue[], string]>([
  [
    "one sensor",
    [at(1)],
    "Warning: Connection, sensor S1 at Site 1, since 1 Mar 2027, 12:00 (Berlin time): The sensor has been offline for 1 day (warning after 1).",
  ],
  [
    "one without a location",
    [nowhere(1)],
    "Warning: Connection, sensor S1 without a location, since 1 Mar 2027, 11:00 (UTC): The sensor has been offline for 1 day (warning after 1).",
  ],
  [
    "two sensors, since the first of them",
    [issue({ sensorId: "A" }), issue({ sensorId: "B", sinceMs: Date.parse("2027-03-01T10:30:00Z"), isOver: true })],
    "Warning: Connection, 2 sensors at Harbour Shop, since 1 Mar 2027, 11:30 (Berlin time): A, B.",
  ],
  [
    "one that is over",
    [at(1, { isOver: true, zone: "Asia/Tokyo", message: "The lens is covered", issueType: "osd" })],
    "Warning: OSD, sensor S1 at Site 1, since 1 Mar 2027, 20:00 (Tokyo time): The lens is covered. Resolved.",
  ],
])("MO-03 a line of a mail: %s", (_, issues, line) => {
  expect(mailOf(issues).text.split("\n")).toContain(line);
});

test("MO-03 a mail names 1,000 sensors and counts the others", () => {
  const { text } = mailOf(Array.from({ length: 1_003 }, (_, n) => issue({ sensorId: `S${n}` })));
  expect(text).toContain("S998, S999.");
  expect(text).toContain("See the monitoring logs for 3 more.");
  expect(mailOf(Array.from({ length: 1_000 }, (_, n) => issue({ sensorId: `S${n}` }))).text).not.toContain("more");
});
