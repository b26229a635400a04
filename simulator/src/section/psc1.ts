// Sections of a PS.C1: camera, counting, access and network.
import { createHash } from "node:crypto";
import { lacksDwell } from "../device/identity.ts";
import { findActiveValues, type SectionValues } from "../device/section-state.ts";
import type { Sensor } from "../device/sensor-state.ts";
import { isHost, isSameNetwork, isUnicast } from "./address.ts";
import { dataendpoint, interval, mainsHz, psconnect, rotation } from "./both.ts";
import type { Section } from "./definition.ts";
import {
  choice,
  type ReportError,
  type Field,
  flag,
  group,
  ident,
  list,
  name,
  percent,
  secret,
  text,
  when,
  integer,
} from "./field.ts";

type Point = { x: number; y: number };
type Shape = { id: string; name: string; points: Point[] };
export type ApplicationValues = {
  counting: { enabled: boolean; intervalS: number; minHeightCm: number; childBelowCm: number };
  lines: (Shape & { inSide: "left" | "right" })[];
  occupancy: { enabled: boolean };
  dwell: { enabled: boolean; minS: number };
  zones: Shape[];
};

const camera: Section = {
  fields: {
    mountHeightCm: integer("Mounting height", 220, 1000),
    rotation,
    mainsHz,
    blurPreviews: flag("Blur people in previews"),
    statusLed: flag("Status light"),
  },
  restart: ["mainsHz"],
  defaults: () => ({ mountHeightCm: 300, rotation: 0, mainsHz: "auto", blurPreviews: true, statusLed: true }),
};

const isOn = (beside: SectionValues): boolean => beside["enabled"] === true;
const point = group({ x: percent("x"), y: percent("y") });

/** Initial lines: across the picture, one below the other. */
function firstLines({ profile }: Sensor): ApplicationValues["lines"] {
  return profile.lines.map(({ id, name: called }, index, all) => {
    const y = Math.round(((index + 1) * 1000) / (all.length + 1)) / 10;
    const points = [
      { x: 10, y },
      { x: 90, y },
    ];
    return { id, name: called, points, inSide: "left" };
  });
}

const applications: Section = {
  fields: {
    counting: group({
      enabled: flag("Count people"),
      intervalS: when(isOn, interval),
      minHeightCm: when(isOn, integer("Smallest person", 40, 160)),
      childBelowCm: when(isOn, integer("Child below", 0, 160)),
    }),
    lines: list(
      "Lines",
      group({
        id: ident,
        name: name(),
        points: list("Points", point, { min: 2, max: 8 }),
        inSide: choice("In is", ["left", "right"]),
      }),
      { max: 8, unique: { id: "The id", name: "Name" } },
    ),
    occupancy: group({ enabled: flag("Measure zones") }),
    dwell: group({ enabled: flag("Measure dwell time"), minS: when(isOn, integer("Shortest stay", 1, 60)) }),
    zones: list("Zones", group({ id: ident, name: name(), points: list("Points", point, { min: 3, max: 16 }) }), {
      max: 8,
      unique: { id: "The id", name: "Name" },
    }),
  },
  defaults: (sensor) => ({
    counting: { enabled: true, intervalS: sensor.cfg.countIntervalS, minHeightCm: 80, childBelowCm: 0 },
    lines: firstLines(sensor),
    occupancy: { enabled: false },
    dwell: { enabled: false, minS: 3 },
    zones: [],
  }),
  rules(values, { complain }) {
    const { counting, lines, occupancy, dwell, zones } = values as ApplicationValues;
    if (counting.enabled && lines.length === 0) complain("lines", "Draw at least one line.");
    if ((occupancy.enabled || dwell.enabled) && zones.length === 0) complain("zones", "Draw at least one zone.");
    const { childBelowCm, minHeightCm } = counting;
    if (counting.enabled && childBelowCm !== 0 && childBelowCm <= minHeightCm)
      complain("counting.childBelowCm", "Child below must be greater than the smallest person.");
    for (const [index, zone] of zones.entries())
      if (crossesItself(zone.points)) complain(`zones.${index}.points`, `The edges of ${zone.name} cross.`);
  },
  lacks: (values, { id }) =>
    (values as ApplicationValues).dwell.enabled && lacksDwell(id) ? "The license for dwell time is missing." : null,
};

/** Sign of the side of line ab on which p lies; 0 on the line. */
const sideOf = (a: Point, b: Point, p: Point): number =>
  Math.sign((b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x));

/** Whether two non-adjacent edges meet. */
function crossesItself(points: readonly Point[]): boolean {
  const edges = points.map((a, index): [Point, Point] => [a, points[(index + 1) % points.length] ?? a]);
  return edges.some(([a, b], one) =>
    edges.some(([c, d], other) => {
      const isNeighbor =
        (other - one + edges.length) % edges.length <= 1 || (one - other + edges.length) % edges.length <= 1;
      return !isNeighbor && other > one && meet(a, b, c, d);
    }),
  );
}

function meet(a: Point, b: Point, c: Point, d: Point): boolean {
  const [abc, abd, cda, cdb] = [sideOf(a, b, c), sideOf(a, b, d), sideOf(c, d, a), sideOf(c, d, b)];
  if (abc !== abd && cda !== cdb) return true;
  return (
    (abc === 0 && isBetween(a, b, c)) ||
    (abd === 0 && isBetween(a, b, d)) ||
    (cda === 0 && isBetween(c, d, a)) ||
    (cdb === 0 && isBetween(c, d, b))
  );
}

/** For collinear points: whether p is between a and b. */
function isBetween(a: Point, b: Point, p: Point): boolean {
  const isIn = (from: number, to: number, value: number): boolean =>
    value >= Math.min(from, to) && value <= Math.max(from, to);
  return isIn(a.x, b.x, p.x) && isIn(a.y, b.y, p.y);
}

const reservedPorts = [1883, 8883, 123];

const security: Section = {
  fields: {
    localPage: flag("Local configuration page"),
    localHttpsPort: integer("HTTPS port", 1, 65_535),
    editPassword: secret("Password of user-role-edit", 12, 64),
    viewPassword: secret("Password of user-role-view", 12, 64),
    psconnect,
  },
  secrets: ["editPassword", "viewPassword"],
  defaults: ({ offersTunnel }) => ({
    localPage: true,
    localHttpsPort: 443,
    editPassword: null,
    viewPassword: null,
    psconnect: offersTunnel,
  }),
  rules({ localHttpsPort, editPassword, viewPassword }, { complain, sent }) {
    if (reservedPorts.some((port) => port === localHttpsPort)) complain("localHttpsPort", "This port is reserved.");
    if (editPassword === null || editPassword !== viewPassword) return;
    complain(sent["viewPassword"] ? "viewPassword" : "editPassword", "The two passwords must differ.");
  },
  info: ({ id, profile }) => ({
    certificate: {
      sha256: createHash("sha256").update(`certificate of ${id}`).digest("hex"),
      validTo: Date.UTC(2032, profile.seed % 12, 1 + (profile.seed % 28)),
    },
  }),
};

const isStatic = (beside: SectionValues): boolean => beside["mode"] === "static";

/** A list of hosts, shown as one field, so problems are reported for the whole list. */
function hosts(label: string, max: number, isGood: (text: unknown) => boolean, sentence: string): Field {
  return (value, { path, complain }) => {
    if (!Array.isArray(value)) complain(path, `${label} must be a list.`);
    else if (value.length > max) complain(path, `${label} may have at most ${max} entries.`);
    else if (!value.every(isGood)) complain(path, sentence);
    return value;
  };
}

const ipv4 = (label: string): Field =>
  text(label, 255, (value) => (isUnicast(value) ? null : `${label} must be an IPv4 address.`));

const hostname = text("Host name", 63, (value) =>
  /^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$/.test(value)
    ? null
    : "Host name may only contain letters, digits and hyphens, not at an end.",
);

const network: Section = {
  fields: {
    mode: choice("Address assignment", ["dhcp", "static"]),
    address: when(isStatic, ipv4("IP address")),
    prefix: when(isStatic, integer("Prefix length", 8, 30)),
    gateway: when(isStatic, ipv4("Gateway")),
    dns: hosts("DNS servers", 2, isUnicast, "DNS servers must be IPv4 addresses."),
    ntp: hosts("Time servers", 3, isHost, "Time servers must be host names or IPv4 addresses."),
    hostname,
  },
  confirm: ["mode", "address", "prefix", "gateway", "dns", "hostname"],
  defaults: ({ id }) => ({
    mode: "dhcp",
    address: "",
    prefix: 24,
    gateway: "",
    dns: [],
    ntp: [],
    hostname: `psc1-${id.slice(-8).replaceAll(":", "").toLowerCase()}`,
  }),
  rules(values, { complain }) {
    if (isStatic(values)) complainOfNetwork(values, complain);
  },
  cutsOff: (values) => isStatic(values) && String(values["address"]).endsWith(".251"),
  info: (sensor) => ({ mac: sensor.id, linkMbps: 100, address: ipAddressOf(sensor) }),
};

function complainOfNetwork({ address, gateway, prefix, dns }: SectionValues, complain: ReportError): void {
  if (gateway === address || !isSameNetwork(address, gateway, Number(prefix)))
    complain("gateway", "The gateway must be in the same network.");
  if (Array.isArray(dns) && dns.length === 0) complain("dns", "Enter at least one DNS server.");
  // Simulates an address conflict.
  if (String(address).endsWith(".250")) complain("address", "This address is already in use.");
}

/** The static address if configured, otherwise the simulated DHCP lease. */
export function ipAddressOf({ profile: { seed }, sections }: Sensor): string {
  const values = findActiveValues(sections, "network");
  if (values && isStatic(values)) return String(values["address"]);
  return `10.${(seed >>> 16) & 255}.${(seed >>> 8) & 255}.${seed & 255}`;
}

export const psc1Sections: Record<string, Section> = { camera, applications, dataendpoint, security, network };
