// Sections of a ZOD: cameras, measurement, coach and connection.
import { isDoubleDeck } from "../device/identity.ts";
import type { SectionValues } from "../device/section-state.ts";
import type { Sensor } from "../device/sensor-state.ts";
import type { Broker } from "../link/link.ts";
import { countPending } from "../records/buffer.ts";
import { parseHostAndPort } from "./address.ts";
import { dataendpoint, interval, mainsHz, psconnect, rotation } from "./both.ts";
import type { Section } from "./definition.ts";
import { type ReportError, choice, flag, group, ident, list, name, reference, text, when, integer } from "./field.ts";

type Camera = {
  id: string;
  name: string;
  enabled: boolean;
  sectionId: string | null;
  rotation: number;
  heightCm: number;
};
export type CameraValues = { cameras: Camera[]; blurPreviews: boolean };
type Part = { id: string; name: string; levelId: string; seats: number; standing: number };
export type GroupValues = { coach: { name: string }; levels: { id: string; name: string }[]; sections: Part[] };

/** One camera per section; two sections per level in a double-deck coach. */
function partsOf({ id }: Sensor): { levels: [string, string][]; sections: [string, string, string][] } {
  return isDoubleDeck(id)
    ? {
        levels: [
          ["l1", "Lower deck"],
          ["l2", "Upper deck"],
        ],
        sections: [
          ["s1", "Lower front", "l1"],
          ["s2", "Lower rear", "l1"],
          ["s3", "Upper front", "l2"],
          ["s4", "Upper rear", "l2"],
        ],
      }
    : {
        levels: [["l1", "Main"]],
        sections: [
          ["s1", "Front", "l1"],
          ["s2", "Middle", "l1"],
          ["s3", "Rear", "l1"],
        ],
      };
}

const camera: Section = {
  fields: {
    cameras: list(
      "Cameras",
      group({
        id: ident,
        name: name(),
        enabled: flag("Enabled"),
        sectionId: reference(),
        rotation,
        heightCm: integer("Mounting height", 180, 300),
      }),
      { min: 1, max: 8, unique: { id: "The id", name: "Name" } },
    ),
    mainsHz,
    blurPreviews: flag("Blur people in previews"),
  },
  restart: ["mainsHz"],
  defaults: (sensor) => ({
    cameras: partsOf(sensor).sections.map(([sectionId, name], index) => ({
      id: `c${index + 1}`,
      name,
      enabled: true,
      sectionId,
      rotation: 0,
      heightCm: 220,
    })),
    mainsHz: "auto",
    blurPreviews: true,
  }),
  rules(values, { before, complain, of }) {
    const { cameras } = values as CameraValues;
    const own = (before as CameraValues).cameras.map(({ id }) => id);
    const { sections } = of("group") as GroupValues;
    for (const [index, { id, sectionId }] of cameras.entries()) {
      if (!own.includes(id)) complain(`cameras.${index}.id`, "This camera does not exist.");
      if (sectionId !== null && !sections.some((one) => one.id === sectionId))
        complain(`cameras.${index}.sectionId`, "This section does not exist.");
    }
    if (cameras.length < own.length) complain("cameras", "A camera is missing.");
    if (cameras.every(({ enabled }) => !enabled)) complain("cameras", "At least one camera must be enabled.");
  },
};

const measurement: Section = {
  fields: {
    intervalS: interval,
    reportAt: choice("Report", ["interval", "departure", "both"]),
    minHeightCm: integer("Smallest person", 60, 140),
    smoothingS: integer("Smoothing", 0, 120),
    sleepAfterMin: integer("Sleep after standstill", 0, 240),
  },
  defaults: ({ cfg }) => ({
    intervalS: cfg.countIntervalS,
    reportAt: "both",
    minHeightCm: 80,
    smoothingS: 10,
    sleepAfterMin: 30,
  }),
};

const vehicleId = text("Vehicle ID", 32, (value) =>
  /^[A-Za-z0-9._-]+$/.test(value) ? null : "Vehicle ID may only contain letters, digits, dot, hyphen and underscore.",
);

function coachOf({ id, profile: { coach } }: Sensor) {
  if (coach) return { name: `Coach ${coach.sequence}`, vehicleId: coach.vehicle, carriageSequence: coach.sequence };
  return { name: "Coach", vehicleId: `coach-${id.slice(-8).replaceAll(":", "").toLowerCase()}`, carriageSequence: 1 };
}

const coachGroup: Section = {
  fields: {
    coach: group({
      name: name("Coach name"),
      vehicleId,
      carriageSequence: integer("Position in train", 1, 20),
    }),
    levels: list("Levels", group({ id: ident, name: name() }), {
      min: 1,
      max: 3,
      unique: { id: "The id", name: "Name" },
    }),
    sections: list(
      "Sections",
      group({
        id: ident,
        name: name(),
        levelId: ident,
        seats: integer("Seats", 0, 300),
        standing: integer("Standing places", 0, 300),
      }),
      { min: 1, max: 12, unique: { id: "The id", name: "Name" } },
    ),
  },
  defaults: (sensor) => ({
    coach: coachOf(sensor),
    levels: partsOf(sensor).levels.map(([id, name]) => ({ id, name })),
    sections: partsOf(sensor).sections.map(([id, name, levelId]) => ({ id, name, levelId, seats: 20, standing: 10 })),
  }),
  rules(values, { before, complain, of }) {
    const { levels, sections } = values as GroupValues;
    const was = before as GroupValues;
    const isLevel = (id: string, those = levels): boolean => those.some((level) => level.id === id);
    for (const [index, { seats, standing, levelId }] of sections.entries()) {
      if (seats + standing < 1) complain(`sections.${index}.seats`, "A section needs at least one place.");
      if (!isLevel(levelId) && !isLevel(levelId, was.levels))
        complain(`sections.${index}.levelId`, "This level does not exist.");
    }
    if (sections.some(({ levelId }) => !isLevel(levelId) && isLevel(levelId, was.levels)))
      complain("levels", "Remove its sections first.");
    complainOfWatched(sections, of("camera") as CameraValues, complain);
  },
};

/** Sections with cameras can't be removed. */
function complainOfWatched(sections: readonly Part[], { cameras }: CameraValues, complain: ReportError): void {
  const lost = cameras.filter(
    ({ sectionId }) => sectionId !== null && !sections.some((section) => section.id === sectionId),
  );
  for (const [, watching] of Map.groupBy(lost, ({ sectionId }) => sectionId)) {
    const ids = watching.map(({ id }) => id).join(", ");
    complain(
      "sections",
      watching.length === 1 ? `Camera ${ids} looks at this section.` : `Cameras ${ids} look at this section.`,
    );
  }
}

function brokerText({ host, port }: Pick<Broker, "host" | "port">): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

const broker = text("Server address", 262, (value) =>
  parseHostAndPort(value) ? null : "Server address must be host:port.",
);
/** The initial broker may change with the next run, so it isn't stored as a setting. */
const givenBroker = (sensor: Sensor): string => (sensor.broker ? brokerText(sensor.broker) : "");

const psp: Section = {
  fields: { broker, psconnect, bufferDays: integer("Keep undelivered data", 1, 60) },
  confirm: ["broker"],
  defaults: ({ offersTunnel }) => ({ broker: null, psconnect: offersTunnel, bufferDays: 30 }),
  keep: (values, sensor) => ({
    ...values,
    broker: values["broker"] === givenBroker(sensor) ? null : values["broker"],
  }),
  show: (values, sensor) => ({ ...values, broker: values["broker"] ?? givenBroker(sensor) }),
  info: ({ outbox, upSince }) => ({
    connectedSince: upSince,
    bufferedRecords: countPending(outbox.buffer),
    lastAckAt: outbox.lastAckAt === 0 ? null : outbox.lastAckAt,
  }),
};

const isRecording = (beside: SectionValues): boolean => beside["enabled"] === true;

const gps: Section = {
  fields: {
    enabled: flag("Record position"),
    source: when(isRecording, choice("Source", ["internal", "nmea-udp"])),
    udpPort: when(
      (beside) => isRecording(beside) && beside["source"] === "nmea-udp",
      integer("UDP port", 1024, 65_535),
    ),
    intervalS: when(isRecording, integer("Every (s)", 1, 300)),
    minMoveM: when(isRecording, integer("Only when moved (m)", 0, 500)),
  },
  restart: ["source", "udpPort"],
  defaults: () => ({ enabled: true, source: "internal", udpPort: 10_110, intervalS: 10, minMoveM: 20 }),
  info: () => ({ antenna: "ok" }),
};

export const zodSections: Record<string, Section> = {
  camera,
  measurement,
  group: coachGroup,
  dataendpoint,
  psp,
  gps,
};
