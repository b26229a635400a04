// Computes the load of a vehicle in each quarter hour of a day (docs/rules/vehicles.md#day).
import type { VehicleDay } from "@psp/contract/vehicle/vehicle.ts";

export const slotMs = 15 * 60_000;

type CoachLoad = { slotMs: number; sensorNum: number; sequence: number; persons: number; places: number };

/**
 * A quarter is known if every sensor that was in the vehicle on this day, or is now if `present` is given, reported a load in it,
 * and there is a sensor at each position up to the last one. Quarters after `untilMs` are omitted.
 */
export function toSlots(
  loads: readonly CoachLoad[],
  { fromMs, toMs, untilMs, present }: { fromMs: number; toMs: number; untilMs: number; present: readonly number[] },
): VehicleDay["slots"] {
  const expected = new Set([...present, ...loads.map(({ sensorNum }) => sensorNum)]);
  const bySlot = Map.groupBy(loads, (load) => load.slotMs);
  const slots: VehicleDay["slots"] = [];
  for (let at = Math.ceil(fromMs / slotMs) * slotMs; at < Math.min(toMs, untilMs); at += slotMs)
    slots.push({ from: new Date(at).toISOString(), load: toLoad(bySlot.get(at) ?? [], expected) });
  return slots;
}

function toLoad(loads: readonly CoachLoad[], expected: ReadonlySet<number>): VehicleDay["slots"][number]["load"] {
  const positions = new Set(loads.map(({ sequence }) => sequence));
  const isComplete = loads.length > 0 && loads.length === expected.size && Math.max(...positions) === positions.size;
  if (!isComplete) return null;
  const sum = (part: (load: CoachLoad) => number) => loads.reduce((all, load) => all + part(load), 0);
  const [persons, places] = [sum((load) => load.persons), sum((load) => load.places)];
  return { persons: Math.round(persons * 10) / 10, places, percent: Math.round((persons * 100) / places) };
}
