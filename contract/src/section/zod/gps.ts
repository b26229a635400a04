// ZOD section GPS: the source of the vehicle's position.
import type { RuleContext, Section } from "../field.ts";
import { integerField } from "../field-presets.ts";

const isRecording = { applies: ({ inSection: at }: RuleContext) => at("enabled") === true, otherwise: "off" } as const;

export const gpsSection: Section = {
  key: "gps",
  segment: "gps",
  label: "GPS",
  parts: [
    { kind: "switch", path: "enabled", label: "Record position", default: true },
    {
      ...isRecording,
      kind: "choice",
      path: "source",
      label: "Source",
      mark: "restart",
      options: [
        { value: "internal", label: "Internal" },
        { value: "nmea-udp", label: "NMEA over UDP" },
      ],
      default: "internal",
    },
    {
      ...integerField("udpPort", "UDP port", 1024, 65_535, 10_110),
      mark: "restart",
      applies: (context) => isRecording.applies(context) && context.inSection("source") === "nmea-udp",
    },
    { ...integerField("intervalS", "Every (s)", 1, 300, 10), ...isRecording },
    { ...integerField("minMoveM", "Only when moved (m)", 0, 500, 20), zero: "always", ...isRecording },
  ],
  facts: [
    {
      path: "antenna",
      label: "Antenna",
      kind: "choice",
      options: [
        { value: "ok", label: "ok" },
        { value: "open", label: "open" },
        { value: "short", label: "short" },
      ],
    },
  ],
};
