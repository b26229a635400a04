// ZOD, PS.Platform: the line to us.
import type { Section } from "../field.ts";
import { broker, psconnect, whole } from "../pieces.ts";

export const psp: Section = {
  key: "psp",
  segment: "dataendpoint/psp",
  label: "PS.Platform",
  parts: [broker, psconnect, whole("bufferDays", "Keep undelivered data (days)", 1, 60, 30)],
  facts: [
    { path: "connectedSince", label: "Connected since", kind: "time" },
    { path: "bufferedRecords", label: "Waiting records", kind: "number" },
    { path: "lastAckAt", label: "Last acknowledged", kind: "time" },
  ],
};
