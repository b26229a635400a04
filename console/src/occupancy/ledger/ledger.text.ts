// Sentences of the page that says what a display showed at any minute, and why.
import type { ledgerKinds, LightState } from "@psp/contract/occupancy/occupancy.api.ts";

export const ledgerText = {
  title: "What was shown",
  about:
    "The count is replayed from what the sensors sent, the late data too: this is what the display had to show, as it is known now.",
  date: "Day",
  time: "Time",
  now: "Now",
  toApp: "Occupancy app",
  zone: (zone: string) => `Times are the location's (${zone}).`,
  badTime: "A day and a time are needed",
  state: "State",
  states: { opened: "May enter", closed: "Please wait", unknown: "Not known" } satisfies Record<LightState, string>,
  count: "Count",
  max: "Maximum",
  band: "Expected within",
  bandOf: (low: string, high: string) => (low === high ? low : `${low} to ${high}`),
  bandHint:
    "The true number is expected within these: time not counted, late data and the counting error of each pass.",
  reason: "Why",
  at: "At",
  curve: "Count since the reset",
  curveOf: (since: string) => `Number of people since the reset at ${since}`,
  atLeast: "At least",
  atMost: "At most",
  limit: "Maximum",
  entries: "Entries",
  entriesOf: (count: number, since: string) =>
    `${count === 1 ? "1 entry" : `${new Intl.NumberFormat("en").format(count)} entries`} since the reset at ${since}, the latest first`,
  none: "Nothing was counted since the reset.",
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
    `The number of people at ${name} counts on from here until the next reset. The entry says who corrected it.`,
  correctCount: "People inside now",
  correctNote: "Note",
  correctButton: "Correct",
  badCount: "A whole number from 0 to 1,000,000",
  corrected: (count: number) => `The count is ${count} now`,
  correctFailed: "The count could not be corrected.",
  noCorrect: "You can look at this app, but not change it.",
  mustEnable: "Enable the app and save it first",
} as const;
