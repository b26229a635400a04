// Texts of the ledger page, which shows the state of the display at any minute, and the reason for it.
import type { ledgerKinds, LightState } from "@psp/contract/occupancy/occupancy.api.ts";
import { formatCount, formatNumber } from "../../ui/text/numbers.ts";

export const ledgerText = {
  title: "What was shown",
  about:
    "Shows what the display should have shown. The count is recalculated from all sensor data, including late data.",
  date: "Day",
  time: "Time",
  now: "Now",
  toApp: "Occupancy app",
  zone: (zone: string) => `Times are in the location's time zone (${zone}).`,
  badTime: "Enter a day and a time",
  state: "State",
  states: { opened: "May enter", closed: "Please wait", unknown: "Unknown" } satisfies Record<LightState, string>,
  count: "Count",
  max: "Maximum",
  band: "Expected range",
  bandOf: (low: string, high: string) => (low === high ? low : `${low}–${high}`),
  bandHint: "The true number should be in this range. It allows for gaps in counting, late data and counting errors.",
  reason: "Reason",
  at: "At",
  curve: "Count since the reset",
  curveOf: (since: string) => `Number of people since the reset at ${since}`,
  atLeast: "At least",
  atMost: "At most",
  limit: "Maximum",
  entries: "Entries",
  entriesOf: (count: number, since: string) =>
    `${formatCount(count, "entry", "entries")} since the reset at ${since}, latest first`,
  none: "Nothing has been counted since the reset.",
  columns: ["Time", "Kind", "Sensor", "In", "Out", "Count", "Note", "By"],
  kinds: {
    reset: "Reset",
    count: "Count",
    flow: "Live flow",
    correction: "Correction",
    outage: "Outage",
  } satisfies Record<(typeof ledgerKinds)[number], string>,
  showAll: (count: number) => `Show all ${count} entries`,
  correct: "Correct the count",
  correctAbout: (name: string) =>
    `Counting at ${name} continues from this number until the next reset. The ledger shows who made the correction.`,
  correctCount: "People inside now",
  correctNote: "Note",
  correctButton: "Correct",
  badCount: "Enter a whole number from 0 to 1,000,000",
  corrected: (count: number) => `Count set to ${formatNumber(count)}`,
  correctFailed: "The count could not be corrected.",
  noCorrect: "You can view but not change this app.",
  mustEnable: "Enable the app and save it first",
} as const;
