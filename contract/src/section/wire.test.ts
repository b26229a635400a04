// Tests that section values in device responses are bounded, contain no secrets, and can always be displayed.
import { describe, expect, test } from "vitest";
import type { SensorType } from "../device/sensor-type.ts";
import { withoutSecrets } from "./saving.ts";
import { validValues, requireSection, withChanges } from "./section.testing.ts";
import { sectionResponseSchema } from "./wire.ts";

const answerOf = (type: SensorType, key: string, changes: Record<string, unknown> = {}, more: object = {}) =>
  sectionResponseSchema(requireSection(type, key)).safeParse({
    rev: 4,
    values: withChanges(validValues(type, key), changes),
    ...more,
  });

test("SE-06 SE-07 no secret of an answer gets through, the fact that there is one does", () => {
  const endpoints = answerOf("ZOD", "dataendpoint", { "endpoints.0.passwordSet": true });
  expect(endpoints.data?.values["endpoints"]).toEqual([
    { id: "e1", name: "BI", enabled: true, url: "https://in.example.com/counts", username: "us", passwordSet: true },
  ]);
  const security = answerOf("PS.C1", "security", {
    editPassword: "open sesame!",
    viewPassword: 7,
    editPasswordSet: true,
  });
  expect(security.data?.values).toEqual({
    localPage: true,
    localHttpsPort: 443,
    psconnect: true,
    editPasswordSet: true,
  });
});

test("values lose their secrets and nothing else", () => {
  const values = validValues("ZOD", "dataendpoint");
  expect(JSON.stringify(withoutSecrets(requireSection("ZOD", "dataendpoint"), values))).toBe(
    JSON.stringify(values).replace(/,"password":"secret"/, ""),
  );
  expect(values).toEqual(validValues("ZOD", "dataendpoint"));
  const gps = validValues("ZOD", "gps");
  expect(withoutSecrets(requireSection("ZOD", "gps"), gps)).toEqual(gps);
});

describe("an answer that is shown", () => {
  test.each<[string, SensorType, string, Record<string, unknown>, object]>([
    ["as it is", "ZOD", "camera", {}, {}],
    [
      "with facts",
      "ZOD",
      "psp",
      {},
      { info: { connectedSince: 1_700_000_000_000, bufferedRecords: 0, lastAckAt: null } },
    ],
    ["with no facts yet", "ZOD", "psp", {}, { info: {} }],
    [
      "with facts of items",
      "ZOD",
      "dataendpoint",
      {},
      { info: { endpoints: [{ id: "e1", lastOkAt: 5, lastError: null }] } },
    ],
    ["with a certificate", "PS.C1", "security", {}, { info: { certificate: { sha256: "ab:cd", validTo: 9 } } }],
    ["without a certificate", "PS.C1", "security", {}, { info: { certificate: null } }],
    ["with a fact that is a novel", "PS.C1", "network", {}, { info: { mac: "x".repeat(3_000) } }],
    ["with an antenna of tomorrow", "ZOD", "gps", {}, { info: { antenna: "loose" } }],
    ["to be confirmed", "PS.C1", "network", {}, { pending: { rev: 5, until: 9 } }],
    ["gone back", "PS.C1", "network", {}, { pending: null, lastChange: { rev: 5, outcome: "rolledBack", at: 9 } }],
    ["to be restarted", "ZOD", "gps", {}, { restartNeeded: true }],
    ["with a number out of our range", "ZOD", "gps", { intervalS: 9999 }, {}],
    ["with values that are not given", "PS.C1", "network", { mode: "dhcp", prefix: null, address: null }, {}],
    ["with a field of tomorrow", "ZOD", "gps", { galileo: true }, { more: 1 }],
  ])("%s (%s %s)", (_, type, key, changes, more) => {
    expect(answerOf(type, key, changes, more).error?.issues).toBeUndefined();
  });
});

describe("an answer that breaks the schema", () => {
  test.each<[string, SensorType, string, Record<string, unknown>, object]>([
    ["a missing field", "ZOD", "gps", { enabled: undefined }, {}],
    ["a missing field of an item", "ZOD", "camera", { "cameras.0.heightCm": undefined }, {}],
    ["a number as a switch", "ZOD", "gps", { enabled: 1 }, {}],
    ["a text as a number", "ZOD", "gps", { intervalS: "10" }, {}],
    ["an endless number", "ZOD", "gps", { intervalS: Infinity }, {}],
    ["a choice that does not exist", "ZOD", "gps", { source: "usb" }, {}],
    ["a choice as a text", "ZOD", "camera", { mainsHz: "50" }, {}],
    ["a text that is too long", "ZOD", "psp", { broker: "x".repeat(256) }, {}],
    ["a pile of marks", "ZOD", "psp", { broker: `a${"\u0301".repeat(40)}` }, {}],
    ["too many items", "ZOD", "camera", { cameras: Array(9).fill({}) }, {}],
    ["an item without an id", "ZOD", "camera", { "cameras.0.id": "" }, {}],
    ["too many addresses", "PS.C1", "network", { dns: ["1.1.1.1", "1.1.1.2", "1.1.1.3"] }, {}],
    ["too many points", "PS.C1", "applications", { "zones.0.points": Array(17).fill({ x: 1, y: 1 }) }, {}],
    ["a point without a place", "PS.C1", "applications", { "zones.0.points": [{ x: 1 }] }, {}],
    ["a secret's fact as a text", "PS.C1", "security", { editPasswordSet: "yes" }, {}],
    ["a revision that is a text", "ZOD", "gps", {}, { rev: "4" }],
    ["a fact of another type", "ZOD", "psp", {}, { info: { bufferedRecords: "many" } }],
    ["facts of too many items", "ZOD", "dataendpoint", {}, { info: { endpoints: Array(4).fill({ id: "e1" }) } }],
    ["an outcome that does not exist", "ZOD", "gps", {}, { lastChange: { rev: 1, outcome: "lost", at: 1 } }],
    ["a time that is a text", "ZOD", "gps", {}, { pending: { rev: 1, until: "soon" } }],
  ])("%s (%s %s)", (_, type, key, changes, more) => {
    expect(answerOf(type, key, changes, more).success).toBe(false);
  });
});
