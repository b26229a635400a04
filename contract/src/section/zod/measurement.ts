// ZOD section Measurement: when and how occupancy is reported.
import type { Section } from "../field.ts";
import { intervalField, integerField } from "../field-presets.ts";

export const measurementSection: Section = {
  key: "measurement",
  segment: "measurement",
  label: "Measurement",
  parts: [
    intervalField("intervalS"),
    {
      kind: "choice",
      path: "reportAt",
      label: "Report",
      options: [
        { value: "interval", label: "Each interval" },
        { value: "departure", label: "Departure" },
        { value: "both", label: "Both" },
      ],
      default: "both",
    },
    integerField("minHeightCm", "Smallest person (cm)", 60, 140, 80),
    integerField("smoothingS", "Smoothing (s)", 0, 120, 10),
    { ...integerField("sleepAfterMin", "Sleep after standstill (min)", 0, 240, 30), zero: "never" },
  ],
  facts: [],
};
