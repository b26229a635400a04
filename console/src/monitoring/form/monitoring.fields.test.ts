// Tests parsing, validation and conversion of the monitoring form (MO-01).
import { monitoringDefaults } from "@psp/contract/monitoring/limits.ts";
import { monitoringConfigSchema } from "@psp/contract/monitoring/monitoring-config.ts";
import { expect, test } from "vitest";
import {
  validateFields,
  toMonitoringFields,
  type MonitoringFields,
  toConfig,
  toRequestedStatus,
} from "./monitoring.fields.ts";
import { summaryOf } from "./summary.ts";

const fresh = toMonitoringFields(null, true);
const withFigure = (
  service: "connection" | "osd" | "uptime" | "dataplaus" | "reboot",
  figure: string,
  typed: string,
) => ({
  ...fresh,
  [service]: { ...fresh[service], figures: { ...fresh[service].figures, [figure]: typed } },
});

test("MO-01 new configurations have the defaults; stored ones are completed with defaults", () => {
  expect(toConfig(fresh, "ENABLED", false)).toEqual(monitoringDefaults);
  const stored = {
    alert: { email: { onWarning: false, toOther: ["a@example.com"] } },
    activeWeekDays: { su: false },
    reboot: { enabled: false, warningThreshold: 7, errorThreshold: null },
  };
  expect(toConfig(toMonitoringFields(stored, true), "UNCHANGED", true)).toEqual({
    ...monitoringDefaults,
    alert: { email: { ...monitoringDefaults.alert.email, onWarning: false, toOther: ["a@example.com"] } },
    activeWeekDays: { ...monitoringDefaults.activeWeekDays, su: false },
    reboot: { enabled: false, warningThreshold: 7, errorThreshold: null },
  });
});

test.each([
  ["nothing was asked for and there is none", false, false, false, "UNCHANGED", true],
  ["nothing was asked for and there is one", true, true, true, "UNCHANGED", false],
  ["it is switched on", false, true, false, "ENABLED", false],
  ["it is switched off", true, false, true, "DISABLED", true],
] as const)("MO-01 null is sent or not where %s", (_case, before, wanted, exists, status, isNull) => {
  expect(toRequestedStatus({ monitoring: before }, wanted)).toBe(status);
  expect(toConfig(fresh, status, exists) === null).toBe(isNull);
});

test.each([
  ["connection", "warningThreshold", "", "Threshold is required"],
  ["connection", "warningThreshold", "1.5", "Threshold should be integer"],
  ["connection", "warningThreshold", "soon", "Threshold should be integer"],
  ["connection", "warningThreshold", "30", "Threshold should be >=1 and <30"],
  ["connection", "errorThreshold", "1", "Must be greater than the warning"],
  ["dataplaus", "filterWindowInWeeks", "", "Required"],
  ["dataplaus", "filterWindowInWeeks", "12.5", "Should be integer"],
  ["dataplaus", "filterWindowInWeeks", "11", "Enter a number from 12 to 52"],
  ["uptime", "warningAverageTime", "24", "Enter a number from 1 to 23"],
  ["uptime", "errorRepeatingTime", "5", "Must be greater than the warning"],
  ["osd", "errorThreshold", "31", "Enter a number from 1 to 30"],
  ["reboot", "warningThreshold", "0", "Enter a number from 1 to 998"],
] as const)("MO-01 %s.%s %j: %s", (service, figure, typed, sentence) => {
  const values: MonitoringFields = withFigure(service, figure, typed);
  expect(validateFields(values).get(`${service}.${figure}`)).toBe(sentence);
  // Disabled services have no errors, and their values are accepted by the contract.
  const off = { ...values, [service]: { ...values[service], enabled: false } };
  expect([...validateFields(off)]).toEqual([]);
  expect(monitoringConfigSchema.safeParse(toConfig(off, "ENABLED", true)).error).toBeUndefined();
});

test("MO-01 e-mails: all of them valid, twenty at most", () => {
  const many = (count: number) => Array.from({ length: count }, (_, n) => `a${n}@example.com`);
  expect(validateFields({ ...fresh, toOther: ["a@example.com", "b@example"] }).get("toOther")).toBe(
    "All emails must be valid e-mails",
  );
  expect(validateFields({ ...fresh, toOther: many(20) }).get("toOther")).toBeUndefined();
  expect(validateFields({ ...fresh, toOther: many(21) }).get("toOther")).toBe("Enter at most 20 email addresses");
});

test("MO-01 a configuration is said in words", () => {
  const words = new Map(summaryOf({ ...monitoringDefaults, osd: { enabled: false } }));
  expect(words.get("Email alerts")).toBe("On warning and error, to owners");
  expect(words.get("Active weekdays")).toBe("every day");
  expect(words.get("Connection")).toBe("Warning after 1 day, error after 2 days");
  expect(words.get("OSD")).toBe("off");
  expect(words.get("Uptime")).toBe("Warning below 5 h a day on average over 5 days, error below 3 h over 6 days");
});
