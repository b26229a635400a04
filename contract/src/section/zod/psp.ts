// ZOD section PS.Platform: the connection to the cloud.
import type { Section } from "../field.ts";
import { brokerField, psconnectField, integerField } from "../field-presets.ts";

export const pspSection: Section = {
  key: "psp",
  segment: "dataendpoint/psp",
  label: "PS.Platform",
  parts: [brokerField, psconnectField, integerField("bufferDays", "Keep undelivered data (days)", 1, 60, 30)],
  facts: [
    { path: "connectedSince", label: "Connected since", kind: "time" },
    { path: "bufferedRecords", label: "Waiting records", kind: "number" },
    { path: "lastAckAt", label: "Last acknowledged", kind: "time" },
  ],
};
