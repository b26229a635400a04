// Converts the load of a day to slots of a chart: unknown quarters are gaps, and quarters to come are empty.
import type { VehicleDay } from "@psp/contract/vehicle/vehicle.ts";
import { parseDay } from "@psp/contract/counts/count-range.ts";
import { zoneOf } from "@psp/contract/kit/zone.ts";
import type { Slot } from "../ui/chart/slots.ts";

/** `persons`: the mean number of people, for the table. */
export type LoadSlot = Slot & { persons: string };

const number = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

/** The date in the browser's zone. */
export const localDate = (ms: number): string => new Intl.DateTimeFormat("sv-SE").format(ms);

export function toChartSlots({ date, zone: name, slotMinutes, slots }: VehicleDay): LoadSlot[] {
  const time = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: name });
  const slotOf = (at: string, given: Pick<Slot, "values" | "gap"> & { persons: string }): LoadSlot => {
    const label = time.format(Date.parse(at));
    return { at, label, ...(label.endsWith(":00") ? { tick: label } : {}), ...given };
  };
  const known = slots.map(({ from, load }) =>
    load === null
      ? slotOf(from, { values: [null], gap: "unknown", persons: "–" })
      : slotOf(from, { values: [load.percent], persons: number.format(load.persons) }),
  );
  const end = zoneOf(name).dayStart((parseDay(date) ?? 0) + 1);
  const ahead: LoadSlot[] = [];
  const stepMs = slotMinutes * 60_000;
  const last = slots.at(-1);
  for (let at = last ? Date.parse(last.from) + stepMs : end; at < end; at += stepMs)
    ahead.push(slotOf(new Date(at).toISOString(), { values: [null], gap: "ahead", persons: "" }));
  return [...known, ...ahead];
}
