// Tests ranges, defaults and messages of the monitoring configuration (MO-01).
import { expect, test } from "vitest";
import { toInputError } from "../kit/safe-text.ts";
import { monitoringDefaults } from "./limits.ts";
import { validateThresholds, type MonitoringConfig, monitoringConfigSchema } from "./monitoring-config.ts";

const config = (): MonitoringConfig => JSON.parse(JSON.stringify(monitoringDefaults)) as MonitoringConfig;

test("MO-01 the defaults are the fixed ones, and valid", () => {
  const parsed = monitoringConfigSchema.parse(config());
  expect(parsed.alert.email).toEqual({ onWarning: true, onError: true, toOwner: true, toOther: [] });
  expect(Object.values(parsed.activeWeekDays)).toEqual(Array.from({ length: 7 }, () => true));
  expect(parsed.connection).toEqual({ enabled: true, warningThreshold: 1, errorThreshold: 2 });
  expect(parsed.dataplaus).toEqual({ enabled: true, warningThreshold: 1, errorThreshold: 2, filterWindowInWeeks: 12 });
  expect(parsed.uptime).toEqual({
    enabled: true,
    warningAverageTime: 5,
    warningRepeatingTime: 5,
    errorAverageTime: 3,
    errorRepeatingTime: 6,
  });
  expect(parsed.osd).toEqual({ enabled: true, warningThreshold: 0, errorThreshold: 3 });
  expect(parsed.reboot).toEqual({ enabled: true, warningThreshold: 3, errorThreshold: 5 });
  expect(parsed.watchdog).toEqual({ enabled: true, warningThreshold: 1, errorThreshold: 3 });
});

function faults<K extends "connection" | "dataplaus" | "uptime" | "osd" | "reboot" | "watchdog">(
  service: K,
  numbers: Partial<Record<string, number | null | undefined>>,
) {
  const changed = config();
  Object.assign(changed[service], numbers);
  return validateThresholds(changed).map(({ path, message }) => `${path[1]}: ${message}`);
}

test.each(["connection", "dataplaus"] as const)(
  "MO-01 %s: a warning of 1 to 29 days, an error above it and up to 30",
  (service) => {
    const both = (warningThreshold: number | null, errorThreshold: number | null) =>
      faults(service, { warningThreshold, errorThreshold });
    for (const [warning, error] of [
      [1, 2],
      [1, 30],
      [29, 30],
    ] as const)
      expect(both(warning, error)).toEqual([]);
    const range = "warningThreshold: Threshold should be >=1 and <30";
    expect(both(0, 30)).toEqual([range]);
    expect(both(30, 30)).toEqual([range]);
    expect(both(2, 2)).toEqual(["errorThreshold: Must be greater than the warning"]);
    expect(both(2, 31)).toEqual(["errorThreshold: Enter a number from 1 to 30"]);
    expect(both(1.5, 2)).toEqual(["warningThreshold: Threshold should be integer"]);
    expect(both(null, 2)).toEqual(["warningThreshold: Threshold is required"]);
    expect(both(1, null)).toEqual(["errorThreshold: Threshold is required"]);
  },
);

test("MO-01 the plausibility's window has 12 to 52 weeks", () => {
  for (const weeks of [12, 52]) expect(faults("dataplaus", { filterWindowInWeeks: weeks })).toEqual([]);
  for (const weeks of [11, 53])
    expect(faults("dataplaus", { filterWindowInWeeks: weeks })).toEqual([
      "filterWindowInWeeks: Enter a number from 12 to 52",
    ]);
  expect(faults("dataplaus", { filterWindowInWeeks: 12.5 })).toEqual(["filterWindowInWeeks: Should be integer"]);
  expect(faults("dataplaus", { filterWindowInWeeks: null })).toEqual(["filterWindowInWeeks: Required"]);
});

test("MO-01 uptime: 1 to 23 hours; a warning of 1 to 29 days, an error above it and up to 30", () => {
  for (const hours of [1, 23])
    expect(faults("uptime", { warningAverageTime: hours, errorAverageTime: hours })).toEqual([]);
  expect(faults("uptime", { warningAverageTime: 0 })).toEqual(["warningAverageTime: Enter a number from 1 to 23"]);
  expect(faults("uptime", { errorAverageTime: 24 })).toEqual(["errorAverageTime: Enter a number from 1 to 23"]);
  expect(faults("uptime", { warningRepeatingTime: 29, errorRepeatingTime: 30 })).toEqual([]);
  expect(faults("uptime", { warningRepeatingTime: 30, errorRepeatingTime: 30 })).toEqual([
    "warningRepeatingTime: Enter a number from 1 to 29",
  ]);
  expect(faults("uptime", { warningRepeatingTime: 6 })).toEqual([
    "errorRepeatingTime: Must be greater than the warning",
  ]);
  expect(faults("uptime", { errorRepeatingTime: 31 })).toEqual(["errorRepeatingTime: Enter a number from 1 to 30"]);
});

test("MO-01 osd from at once to 30 days, reboots 1 to 999, watchdog resets up to 999", () => {
  expect(faults("osd", { warningThreshold: 0, errorThreshold: 1 })).toEqual([]);
  expect(faults("osd", { errorThreshold: 31 })).toEqual(["errorThreshold: Enter a number from 1 to 30"]);
  expect(faults("osd", { warningThreshold: 0, errorThreshold: 0 })).toEqual([
    "errorThreshold: Enter a number from 1 to 30",
  ]);
  expect(faults("osd", { warningThreshold: 3 })).toEqual(["errorThreshold: Must be greater than the warning"]);
  expect(faults("reboot", { warningThreshold: 998, errorThreshold: 999 })).toEqual([]);
  expect(faults("reboot", { warningThreshold: 0 })).toEqual(["warningThreshold: Enter a number from 1 to 998"]);
  expect(faults("reboot", { errorThreshold: 1000 })).toEqual(["errorThreshold: Enter a number from 1 to 999"]);
  expect(faults("watchdog", { warningThreshold: 0, errorThreshold: 999 })).toEqual([]);
  expect(faults("watchdog", { errorThreshold: 1000 })).toEqual(["errorThreshold: Enter a number from 1 to 999"]);
});

test("MO-01 a service that is off is not checked; its numbers are kept", () => {
  const off = config();
  Object.assign(off.connection, { enabled: false, warningThreshold: 99, errorThreshold: null });
  expect(monitoringConfigSchema.parse(off).connection).toEqual({
    enabled: false,
    warningThreshold: 99,
    errorThreshold: null,
  });
});

test("MO-01 ER-03 what the server says to broken configurations: 102, 104, 402, with the field", () => {
  const fault = (change: (one: Record<string, never>) => void) => {
    const one = config();
    change(one as never);
    const parsed = monitoringConfigSchema.safeParse(one, { reportInput: true });
    return parsed.success ? null : toInputError(parsed.error);
  };
  const set = (path: string, value: unknown) =>
    fault((one) => {
      const keys = path.split(".");
      const last = keys.pop() ?? "";
      const place = keys.reduce<Record<string, unknown>>((at, key) => at[key] as Record<string, unknown>, one);
      if (value === undefined) delete place[last];
      else place[last] = value;
    });
  expect(set("connection.warningThreshold", 0)).toMatchObject({ code: 102, field: "connection.warningThreshold" });
  expect(set("connection.warningThreshold", undefined)).toMatchObject({ code: 104 });
  expect(set("connection.warningThreshold", "1")).toMatchObject({ code: 402 });
  expect(set("connection.enabled", undefined)).toMatchObject({ code: 104, field: "connection.enabled" });
  expect(set("activeWeekDays.xx", true)).toMatchObject({ code: 402 });
  const invalid = ["not an address", "", "a@example.com\r\nBcc: b@example.com", `${"a".repeat(250)}@example.com`];
  for (const address of invalid)
    expect(set("alert.email.toOther", ["fine@example.com", address]), address).toMatchObject({
      code: 204,
      message: "All emails must be valid e-mails",
    });
  expect(
    set(
      "alert.email.toOther",
      Array.from({ length: 21 }, (_, n) => `n${n}@example.com`),
    ),
  ).toMatchObject({ code: 102 });
  expect(
    set(
      "alert.email.toOther",
      Array.from({ length: 20 }, (_, n) => `n${n}@example.com`),
    ),
  ).toBeNull();
});
