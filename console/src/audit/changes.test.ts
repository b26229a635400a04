// Tests how history entries describe changes.
import type { AuditRow } from "@psp/contract/audit/audit.ts";
import { expect, test } from "vitest";
import { changesOf } from "./changes.ts";
import { toHistoryEntry, referencesIn } from "./entries.ts";
import { describeSectionChanges } from "./section-changes.ts";

const id = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;

test("fields are named in words, ids become references, and what stayed the same is left out", () => {
  const before = { owner: id(1), measID: null, artifact: id(3), groups: ["a"], claimable: false, monitoring: true };
  const after = { owner: id(2), measID: id(4), artifact: id(3), groups: [], claimable: true, monitoring: true };
  expect(changesOf("sensor", before, after)).toEqual([
    { field: "Owner", before: [{ type: "account", id: id(1) }], after: [{ type: "account", id: id(2) }] },
    { field: "Location", before: ["none"], after: [{ type: "measurement", id: id(4) }] },
    { field: "Groups", before: ["a"], after: ["none"] },
    { field: "Re-registration", before: ["off"], after: ["on"] },
  ]);
});

test("of something new only what it has is said; of a part of an object only that part", () => {
  expect(changesOf("measurement", null, { name: "Shop", tags: [], licenses: { buildings: false } })).toEqual([
    { field: "Name", after: ["Shop"] },
    { field: "Buildings license", after: ["off"] },
  ]);
  expect(changesOf("sensor", { groups: ["a"] }, { groups: ["b"], type: "APS" })).toEqual([
    { field: "Groups", before: ["a"], after: ["b"] },
  ]);
});

test("opening hours are sentences about the week, exceptions and holidays", () => {
  const usual = [{ from: "09:00", to: "20:00" }];
  const week = { mo: usual, tu: usual, we: usual, th: usual, fr: usual, sa: usual, su: [] };
  const exceptions = [{ date: "2026-12-24", hours: [{ from: "09:00", to: "13:00" }], name: "Christmas Eve" }];
  const holidays = { country: "DE", region: null, closed: true };
  const hours = { week, exceptions, holidays };
  expect(changesOf("measurement", { openingHours: null }, { openingHours: hours })).toEqual([
    { field: "Custom opening hours", before: ["none"], after: ["Mon–Sat 09:00–20:00, Sun closed"] },
    { field: "Opening hours exceptions", before: ["none"], after: ["2026-12-24 09:00–13:00 (Christmas Eve)"] },
    { field: "Public holidays", before: ["none"], after: ["closed on public holidays in Germany"] },
  ]);
  const closed = { ...hours, week: { ...week, mo: [] } };
  expect(changesOf("account", { openingHours: hours }, { openingHours: closed })).toEqual([
    {
      field: "Default opening hours",
      before: ["Mon–Sat 09:00–20:00, Sun closed"],
      after: ["Mon closed, Tue–Sat 09:00–20:00, Sun closed"],
    },
  ]);
  expect(changesOf("account", null, { openingHours: null })).toEqual([]);
});

test("permissions are readable differences, right by right", () => {
  const before = { ownable: { sensor: { canEditObject: { me: true } } } };
  const after = {
    owner: { canCreateOwner: true },
    ownable: { sensor: { canEditObject: { me: true, myChildren: true }, canViewObject: { roles: [id(7)] } } },
  };
  expect(changesOf("role", { permissions: before }, { permissions: after })).toEqual([
    { field: "Owner › Create accounts", before: ["not allowed"], after: ["on"] },
    {
      field: "Sensor › View",
      before: ["not allowed"],
      after: ["accounts with the role ", { type: "role", id: id(7) }],
    },
    { field: "Sensor › Edit", before: ["own account"], after: ["own account and all sub-accounts"] },
  ]);
});

test("logins are said one by one; of passwords only that they are others", () => {
  const before = {
    credentials: [
      { email: "a@example.com", step: 1 },
      { email: "b@example.com", step: 2 },
    ],
  };
  const after = {
    credentials: [
      { email: "a@example.com", step: 2, newPassword: true },
      { email: "c@example.com", step: 0 },
    ],
  };
  expect(changesOf("account", before, after)).toEqual([
    { field: "Registration of a@example.com", before: ["email not confirmed yet"], after: ["complete"] },
    { field: "Password of a@example.com" },
    { field: "Login", before: ["none"], after: ["c@example.com"] },
    { field: "Login", before: ["b@example.com"], after: ["none"] },
  ]);
  expect(changesOf("sensor", { restUsername: "x" }, { restUsername: "x", newRestPassword: true })).toEqual([
    { field: "REST password" },
  ]);
});

const row = (facts: Partial<AuditRow>): AuditRow => ({
  _id: id(9),
  at: "2026-11-23T12:00:00.000Z",
  who: { _id: id(1), name: "Ann" },
  requestId: "r",
  action: "update",
  object: { type: "sensor", _id: "00:1E:C0:00:00:01" },
  before: null,
  after: null,
  ...facts,
});

test.each([
  [{ action: "create", after: {} }, "Created"],
  [{ action: "enrol", after: {} }, "Created"],
  [{ action: "delete", before: {} }, "Deleted"],
  [{ action: "claim", after: {} }, "Registered"],
  [{ action: "update", before: { owner: id(1) }, after: { owner: id(2) } }, "Handed over"],
  [{ action: "update", before: { owner: id(1) }, after: { owner: id(1), groups: [] } }, "Changed"],
  [{ action: "endFirmware", after: { status: "FAILED", info: "No space" } }, "Installation failed"],
  [{ action: "somethingNew" }, "Something new"],
  [
    { action: "write-refused", after: { call: "updateSensor", status: 403, code: 305, error: "No permission." } },
    "Refused: No permission.",
  ],
  [{ action: "enrol-refused" }, "Refused: An unverified device requested this sensor's password."],
])("%j is '%s'", (facts, title) => {
  expect(toHistoryEntry(row(facts), true).title).toBe(title);
});

test("a first contact is the creation only where nothing came before it", () => {
  expect(toHistoryEntry(row({ action: "enrol", after: {} }), false).title).toBe("Enrolled");
  expect(toHistoryEntry(row({ action: "create" }), true).begins).toBe("made");
  expect(toHistoryEntry(row({ action: "claim" }), true).begins).toBe("came");
  expect(toHistoryEntry(row({}), true).begins).toBeNull();
});

test("names are asked for once each, by type", () => {
  const entry = toHistoryEntry(
    row({ before: { owner: id(2), measID: id(5) }, after: { owner: id(1), measID: null } }),
    false,
  );
  expect(referencesIn([entry, entry])).toEqual(
    new Map([
      ["account", [id(1), id(2)]],
      ["measurement", [id(5)]],
    ]),
  );
});

test("MO-01 OC-01 changes of monitoring and occupancy app are shown field by field", () => {
  const monitoring = { connection: { enabled: true, warningThreshold: 1 }, activeWeekDays: { su: true } };
  const more = { ...monitoring, connection: { enabled: true, warningThreshold: 3 } };
  expect(changesOf("measurement", { monitoringConfig: null }, { monitoringConfig: monitoring })).toEqual([
    { field: "Monitoring", before: ["off"], after: ["on"] },
  ]);
  expect(changesOf("measurement", { monitoringConfig: monitoring }, { monitoringConfig: more })).toEqual([
    { field: "Monitoring › Connection › Warning threshold", before: ["1"], after: ["3"] },
  ]);
  const app = (enabled: boolean, maxObjects: number) => [
    { type: "ps-occupancy-app", enabled, settings: { maxObjects } },
  ];
  expect(changesOf("measurement", { applications: app(false, 10) }, { applications: app(true, 25) })).toEqual([
    { field: "Occupancy app", before: ["off"], after: ["on"] },
    { field: "Maximum number of people", before: ["10"], after: ["25"] },
  ]);
});

test("PC-01 of a session on a sensor's page times are written as people read them", () => {
  const after = { until: "2026-11-25T14:22:43.272Z", startedAt: "2026-11-25T14:07:00.000Z" };
  expect(changesOf("sensor", null, after)).toEqual([
    { field: "Until", after: [expect.stringMatching(/^25 Nov 2026, \d\d:22:43 \S+$/)] },
    { field: "Opened", after: [expect.stringMatching(/^25 Nov 2026, \d\d:07:00 \S+$/)] },
  ]);
});

test("SE-06 SE-07 section changes are shown by form labels, without passwords", () => {
  const entry = (section: string, values: object) => ({ section, values });
  const measurement = { intervalS: 300, reportAt: "both", minHeightCm: 80, smoothingS: 10, sleepAfterMin: 30 };
  const measured = { ...measurement, reportAt: "departure", smoothingS: 0 };
  const after = { ...entry("measurement", measured), applied: "now" };
  const shown = (facts: Partial<AuditRow>) =>
    toHistoryEntry(row({ ...facts, action: "config.set" }), false, describeSectionChanges).changes;
  expect(shown({ before: entry("measurement", measurement), after })).toEqual([
    { field: "Page", after: ["Measurement"] },
    { field: "Report", before: ["Both"], after: ["Departure"] },
    { field: "Smoothing (s)", before: ["10"], after: ["0"] },
    { field: "Takes effect", after: ["Immediately"] },
  ]);
  expect(shown({ before: null, after: { ...after, applied: "unknown" } }).at(-1)).toEqual({
    field: "Takes effect",
    after: ["Unknown: the sensor did not respond"],
  });
  const failed = row({
    action: "config.set-failed",
    before: entry("measurement", measurement),
    after: { ...after, reason: "Busy" },
  });
  expect(toHistoryEntry(failed, false, describeSectionChanges)).toMatchObject({
    title: "Settings not changed",
    changes: [],
    notes: ["Reason: Busy"],
  });
  // The previous value is unknown.
  expect(shown({ before: null, after })).toEqual([
    { field: "Page", after: ["Measurement"] },
    { field: "Takes effect", after: ["Immediately"] },
  ]);
  const level = (n: number, name: string) => ({ id: `l${n}`, name });
  const group = (...levels: object[]) => entry("group", { levels, sections: [] });
  expect(shown({ before: group(level(1, "Main")), after: group(level(1, "Main"), level(2, "Upper")) })).toEqual([
    { field: "Page", after: ["Group"] },
    { field: "Levels", before: ["Main"], after: ["Main, Upper"] },
  ]);
  expect(shown({ before: group(level(1, "Main")), after: group(level(1, "Lower")) })).toEqual([
    { field: "Page", after: ["Group"] },
    { field: "Levels", after: ["changed: Lower"] },
  ]);
  // ZOD and PS.C1 both have a section of this name.
  const camera = { mountHeightCm: 300, rotation: 0, mainsHz: "auto", blurPreviews: true, statusLed: true };
  const [, light] = shown({ before: entry("camera", camera), after: entry("camera", { ...camera, statusLed: false }) });
  expect(light).toEqual({ field: "Status light", before: ["on"], after: ["off"] });
});
