// What may be asked of a running fleet, a line each on standard input: so far, to let people walk through a door.
import { createInterface } from "node:readline";
import { parseMac } from "@psp/contract/kit/mac.ts";
import type { Sensor } from "../device/sensor-state.ts";
import { walkThrough } from "../sensor/meter.ts";

/** E.g. `walk 02:00:00:00:00:01 in 3`. */
const walk = /^walk (\S+) (in|out) (\d{1,3})$/;

/** Does what a line says; answers a sentence for people when it can't. */
export function obey(line: string, find: (id: string) => Sensor | undefined): string | null {
  const [, name = "", way, number] = walk.exec(line.trim()) ?? [];
  if (way === undefined) return `"${line.trim()}" is not of the form "walk <sensor> in|out <number>".`;
  const sensor = find(parseMac(name) ?? name);
  if (!sensor) return `There is no sensor ${name} in this fleet.`;
  const n = Number(number);
  walkThrough(sensor, way === "in" ? { in: n, out: 0 } : { in: 0, out: n });
  return null;
}

/** Follows the lines of a stream until it ends. */
export function followCommands(
  input: NodeJS.ReadableStream,
  sensors: readonly Sensor[],
  complain: (text: string) => void,
): void {
  const byId = new Map(sensors.map((sensor) => [sensor.id, sensor]));
  createInterface({ input, crlfDelay: Infinity }).on("line", (line) => {
    const problem = line.trim() === "" ? null : obey(line, (id) => byId.get(id));
    if (problem !== null) complain(problem);
  });
}
