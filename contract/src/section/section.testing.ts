// Creates valid values of every section, which tests can change.
import { sectionOf } from "./sections.ts";
import type { Section, Values } from "./field.ts";
import type { SensorType } from "../device/sensor-type.ts";
import { getDefaults, withValueAt } from "./values.ts";

export function requireSection(type: SensorType, key: string): Section {
  const section = sectionOf(type, key);
  if (section === null) throw new Error(`${type} has no section ${key}`);
  return section;
}

/** Valid values that replace defaults: values that only the device knows, and features that are off by default. */
const given: Record<string, Record<string, unknown>> = {
  "ZOD group": { "coach.name": "Coach 7", "coach.vehicleId": "PS-4711.a_b" },
  "ZOD psp": { broker: "sensors.example.com:8883" },
  "PS.C1 network": {
    mode: "static",
    address: "192.168.7.20",
    gateway: "192.168.7.1",
    dns: ["192.168.7.1"],
    ntp: ["time.example.com", "192.168.7.2"],
    hostname: "psc1-00a1b2",
  },
  "PS.C1 applications": {
    "occupancy.enabled": true,
    "dwell.enabled": true,
    zones: [makeZone("z1", "Shelf")],
  },
};

export function makeZone(id: string, name: string): Values {
  return {
    id,
    name,
    points: [
      { x: 10, y: 10 },
      { x: 90.5, y: 10 },
      { x: 50, y: 99.9 },
    ],
  };
}

export function makeEndpoint(id: string, name: string): Values {
  return { id, name, enabled: true, url: "https://in.example.com/counts", username: "us", password: "secret" };
}

export function validValues(type: SensorType, key: string): Values {
  const more = key === "dataendpoint" ? { endpoints: [makeEndpoint("e1", "BI")] } : (given[`${type} ${key}`] ?? {});
  return withChanges(getDefaults(requireSection(type, key)), more);
}

/** Applies changes at dotted paths. A number in a path is the index of a list item. */
export function withChanges(values: Values, changes: Record<string, unknown>): Values {
  return Object.entries(changes).reduce((all, [path, value]) => {
    const [head = "", index, ...rest] = path.split(".");
    if (index === undefined || !/^\d+$/.test(index)) return withValueAt(all, path, value);
    const items = [...((all[head] ?? []) as Values[])];
    const item = items[Number(index)] ?? {};
    items[Number(index)] = rest.length === 0 ? (value as Values) : changed(item, rest, value);
    return { ...all, [head]: items };
  }, values);
}

function changed(item: Values, path: string[], value: unknown): Values {
  const [head = "", index] = path;
  if (index === undefined || !/^\d+$/.test(index)) return withValueAt(item, path.join("."), value);
  const points = [...((item[head] ?? []) as Values[])];
  points[Number(index)] = withValueAt(points[Number(index)] ?? {}, path.slice(2).join("."), value);
  return { ...item, [head]: points };
}

export function allPathsOf(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (Array.isArray(value)) return [path, ...value.flatMap((inner, n) => allPathsOf(inner, [...path, n]))];
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, inner]) => allPathsOf(inner, [...path, key]))];
}
export function replaceAt(value: unknown, [step, ...rest]: (string | number)[], put: unknown): unknown {
  if (step === undefined) return put;
  if (Array.isArray(value)) return value.map((inner, n) => (n === step ? replaceAt(inner, rest, put) : inner));
  const tree = value as Record<string, unknown>;
  return { ...tree, [step]: replaceAt(tree[step], rest, put) };
}
export const setConfigRequest = (section: string, values: unknown) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "config.set",
  params: { section, values, rev: 1 },
});
