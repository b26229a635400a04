// Tests the texts of connection states (SE-12).
import type { Presence } from "@psp/contract/sensor/sensor.ts";
import { expect, test } from "vitest";
import { formatConnection, formatSpan, formatState } from "./SensorState.tsx";

const now = Date.parse("2026-11-20T12:00:00Z");
const hours = (count: number) => new Date(now - count * 3_600_000).toISOString();
const never: Presence = {
  conAt: null,
  disconAt: null,
  lastContactAt: null,
  isConnected: false,
  isConnectedButDoesntRespond: false,
};

test.each<[string, Partial<Presence>, string]>([
  ["connected", { isConnected: true, conAt: hours(2) }, "Connected since 20 Nov 2026, 11:00:00 CET"],
  ["connected, time unknown", { isConnected: true }, "Connected"],
  [
    "silent within the timeout",
    { lastContactAt: hours(23), disconAt: hours(3) },
    "Last contact was 19 Nov 2026, 14:00:00 CET",
  ],
  ["silent beyond it", { lastContactAt: hours(25), disconAt: hours(24) }, "Last seen 19 Nov 2026, 12:00:00 CET"],
  ["gone, last contact unknown", { disconAt: hours(30) }, "Last seen 19 Nov 2026, 07:00:00 CET"],
  ["never seen", {}, "Disconnected"],
  [
    "connected, but mute",
    { isConnected: true, conAt: hours(2), isConnectedButDoesntRespond: true },
    "Connected but not responding",
  ],
])("SE-12 %s", (_, presence, words) => {
  expect(formatConnection({ ...never, ...presence }, now, 24, "Europe/Berlin")).toBe(words);
});

test.each<[string, Partial<Presence>, string]>([
  ["connected", { isConnected: true, lastContactAt: hours(0.25) }, "Connected"],
  [
    "connected, quiet for longer than 15 min",
    { isConnected: true, lastContactAt: hours(0.26) },
    "Connected · 15 min ago",
  ],
  ["gone within the timeout", { lastContactAt: hours(3.9), disconAt: hours(3) }, "Connected · 3 h ago"],
  ["gone at the timeout", { lastContactAt: hours(24) }, "Offline 1 d"],
  ["gone for long", { lastContactAt: hours(71) }, "Offline 2 d"],
  ["gone, last contact unknown", { disconAt: hours(30) }, "Offline 1 d"],
  ["never there", {}, "Never connected"],
  ["mute", { isConnected: true, lastContactAt: hours(5), isConnectedButDoesntRespond: true }, "Not responding"],
])("SE-12 the state of one that is %s", (_, presence, words) => {
  expect(formatState({ ...never, ...presence }, now, 24)).toBe(words);
});

test("SE-12 with a shorter timeout a sensor is offline for minutes and hours, too", () => {
  expect(formatState({ ...never, lastContactAt: hours(0.5) }, now, 0.1)).toBe("Offline 30 min");
  expect(formatState({ ...never, lastContactAt: hours(5.5) }, now, 0.1)).toBe("Offline 5 h");
  expect([59_999, 60_000, 3_599_999, 3_600_000, 86_399_999, 86_400_000, -5].map(formatSpan)).toEqual([
    "0 min",
    "1 min",
    "59 min",
    "1 h",
    "23 h",
    "1 d",
    "0 min",
  ]);
});

test("SE-12 on a long-open page a connected sensor isn't shown as silent", () => {
  const presence = { ...never, isConnected: true, lastContactAt: hours(2) };
  expect(formatState(presence, now, 24, now - 7_200_000)).toBe("Connected");
  // Without an open connection, `knownAt` is ignored.
  expect(formatState({ ...presence, isConnected: false }, now, 24, now - 7_200_000)).toBe("Connected · 2 h ago");
});
