// Commands for a running fleet on standard input, one per line: passages and faults.
import { createInterface } from "node:readline";
import { parseMac } from "@psp/contract/kit/mac.ts";
import type { Sensor } from "../device/sensor-state.ts";
import { type FaultPlan, parseFaults, buildFaults } from "../faults/scripts.ts";
import { type SensorConditions, mergeSensorConditions } from "../faults/world.ts";
import { triggerPassages } from "../sensor/meter.ts";

/** E.g. `walk 02:00:00:00:00:01 in 3`. */
const walk = /^walk (\S+) (in|out) (\d{1,3})$/;
/** E.g. `fault 02:00:00:00:00:01 covered-lens@0+30`, in minutes from now, and `heal 02:00:00:00:00:01`. */
const fault = /^(?:fault (\S+) (\S+)|heal (\S+))$/;
const forms = "walk <sensor> in|out <number>, fault <sensor> <name>[@start[+length]] or heal <sensor>";

type Find = (id: string) => Sensor | undefined;

/** Returns a user-facing message if the command fails. */
export function runCommand(line: string, find: Find): string | null {
  const text = line.trim();
  const [, walker = "", way, number] = walk.exec(text) ?? [];
  if (way !== undefined) {
    const n = Number(number);
    return withSensor(find, walker, (sensor) =>
      triggerPassages(sensor, way === "in" ? { in: n, out: 0 } : { in: 0, out: n }),
    );
  }
  const [, failing, plan = "", healed] = fault.exec(text) ?? [];
  if (healed !== undefined) return withSensor(find, healed, heal);
  if (failing === undefined) return `"${text}" is not of the form ${forms}.`;
  let plans: FaultPlan[];
  try {
    plans = parseFaults(plan);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return withSensor(find, failing, (sensor) => fail(sensor, plans));
}

function withSensor(find: Find, name: string, act: (sensor: Sensor) => void): string | null {
  const sensor = find(parseMac(name) ?? name);
  if (!sensor) return `There is no sensor ${name} in this fleet.`;
  act(sensor);
  return null;
}

/** Conditions of sensors before their first fault by command; `heal` restores them. */
const initialWorlds = new WeakMap<Sensor, SensorConditions>();

function fail(sensor: Sensor, plans: FaultPlan[]): void {
  if (!initialWorlds.has(sensor)) initialWorlds.set(sensor, sensor.world);
  const at = soon(sensor);
  enter(sensor, mergeSensorConditions(sensor.world, buildFaults(plans, sensor.profile.zone, at)), at);
}

function heal(sensor: Sensor): void {
  enter(sensor, initialWorlds.get(sensor) ?? sensor.world, soon(sensor));
}

/** Changes up to now count as handled, so new changes must start later. */
const soon = (sensor: Sensor): number => sensor.env.clock.now() + 1;

function enter(sensor: Sensor, world: SensorConditions, at: number): void {
  const nextEdge = (after: number): number =>
    after < at ? Math.min(at, world.nextEdge(after)) : world.nextEdge(after);
  sensor.world = { ...world, plain: false, nextEdge };
  sensor.wake();
}

export function readCommands(
  input: NodeJS.ReadableStream,
  sensors: readonly Sensor[],
  complain: (text: string) => void,
): void {
  const byId = new Map(sensors.map((sensor) => [sensor.id, sensor]));
  createInterface({ input, crlfDelay: Infinity }).on("line", (line) => {
    const problem = line.trim() === "" ? null : runCommand(line, (id) => byId.get(id));
    if (problem !== null) complain(problem);
  });
}
