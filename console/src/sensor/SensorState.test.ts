// The words about a sensor's connection, state by state (SE-12, spec 2 §4).
import type { Presence } from "@psp/contract/sensor/sensor.ts";
import { expect, test } from "vitest";
import { connectionWords } from "./SensorState.tsx";

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
  expect(connectionWords({ ...never, ...presence }, now, 24, "Europe/Berlin")).toBe(words);
});
