// Tests which day is evaluated and when it is evaluated next, at midnight and on days with clock changes (MO-02).
import { monitoringDefaults } from "@psp/contract/monitoring/limits.ts";
import { expect, test } from "vitest";
import { dayNumberOf, zoneOf } from "@psp/contract/kit/zone.ts";
import { evaluateFacts, readConfig } from "./evaluate.rules.ts";

const at = (text: string) => Temporal.Instant.from(text).epochMilliseconds;

test.each<[string, now: string, judged: string, again: string]>([
  ["just before midnight", "2026-11-23T22:59:59.999Z", "2026-11-22", "2026-11-23T23:00:00Z"],
  ["at midnight", "2026-11-23T23:00:00Z", "2026-11-23", "2026-11-24T23:00:00Z"],
  ["at the start of a day of 23 hours", "2026-03-28T23:00:00Z", "2026-03-28", "2026-03-29T22:00:00Z"],
  ["after a day of 23 hours", "2026-03-29T22:00:00Z", "2026-03-29", "2026-03-30T22:00:00Z"],
  ["at the start of a day of 25 hours", "2026-10-24T22:00:00Z", "2026-10-24", "2026-10-25T23:00:00Z"],
  ["after a day of 25 hours", "2026-10-25T23:00:00Z", "2026-10-25", "2026-10-26T23:00:00Z"],
])("MO-02 %s: the day before is judged, and the next check is at midnight", (_, now, judged, again) => {
  const config = readConfig(monitoringDefaults);
  if (config === null) throw new Error("The defaults are no configuration");
  const day = dayNumberOf(Temporal.PlainDate.from(judged));
  // Only that day has zero people, the others a hundred.
  const totals = new Map([0, 1, 2, 3, 4].map((week) => [day - 7 * week, week === 0 ? 0 : 100]));
  const days = {
    zone: zoneOf("Europe/Berlin"),
    uptime: { known: null, seconds: new Map() },
    counted: { totals, isClosed: () => false },
  };
  const { plauzibilization, uptime } = evaluateFacts(
    config,
    { offlineSinceMs: null, obstruction: null, reboots: [], resets: [], days },
    at(now),
  );
  expect(plauzibilization?.status).toBe("Warning");
  expect([plauzibilization?.againAt, uptime?.againAt]).toEqual([at(again), at(again)]);
});
