// Describes a monitoring configuration in words, for a sensor that inherits it.
import { type MonitoringService, monitoringServices, weekDays } from "@psp/contract/monitoring/limits.ts";
import { monitoringText as text } from "../monitoring.text.ts";
import { toMonitoringFields, type MonitoringFields } from "./monitoring.fields.ts";

const { summary: words } = text;

export type MonitoringSummary = readonly (readonly [label: string, value: string])[];

export function summaryOf(config: unknown): MonitoringSummary {
  const fields = toMonitoringFields(config, true);
  return [
    [text.alerts, mailWords(fields)],
    [text.weekDays, dayWords(fields)],
    ...monitoringServices.map((service) => [text.services[service], serviceWords(fields, service)] as const),
  ];
}

function mailWords({ alerts: { onWarning, onError, toOwner }, toOther }: MonitoringFields): string {
  const to = [...(toOwner ? [words.owners] : []), ...(toOther.length > 0 ? [words.others(toOther.length)] : [])];
  if (to.length === 0 || (!onWarning && !onError)) return words.noMails;
  const when = onWarning && onError ? words.when.both : onWarning ? words.when.warning : words.when.error;
  return [when, ...to].join(", ");
}

function dayWords({ weekDays: active }: MonitoringFields): string {
  const days = weekDays.filter((day) => active[day]);
  if (days.length === weekDays.length) return words.everyDay;
  return days.length === 0 ? words.noDay : days.map((day) => text.weekDay[day]).join(", ");
}

function serviceWords(fields: MonitoringFields, service: MonitoringService): string {
  const { enabled, figures } = fields[service];
  if (!enabled) return text.off;
  const { warningThreshold: warning = "", errorThreshold: error = "" } = figures;
  switch (service) {
    case "connection":
    case "osd":
      return words.days(warning, error);
    case "dataplaus":
      return `${words.days(warning, error)}, ${words.window(figures.filterWindowInWeeks ?? "")}`;
    case "uptime":
      return words.uptime(
        [figures.warningAverageTime ?? "", figures.warningRepeatingTime ?? ""],
        [figures.errorAverageTime ?? "", figures.errorRepeatingTime ?? ""],
      );
    case "reboot":
    case "watchdog":
      return words.events(warning, error);
  }
}
