// Converts the ledger to the API, with explanations for people.
import { datapointQualities } from "@psp/contract/datapoint/datapoint.ts";
import type { LedgerEntry } from "@psp/contract/occupancy/occupancy.api.ts";
import type { Ledger, Outage, DisplayState, LedgerStep } from "./ledger.rules.ts";
import type { ShownStateRow } from "./ledger.store.ts";

const iso = (ms: number) => new Date(ms).toISOString();
const minuteMs = 60_000;

/** E.g. "4 min", "2 h 10 min". */
function lasting(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / minuteMs));
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [...(hours > 0 ? [`${hours} h`] : []), ...(rest > 0 || hours === 0 ? [`${rest} min`] : [])].join(" ");
}

const people = (n: number) => (n === 1 ? "1 person" : `${n} people`);

export function toEntry(step: LedgerStep, { sinceMs }: Ledger, idOf: (num: number) => string | null): LedgerEntry {
  const none = { sens: null, in: null, out: null, note: null, by: null, quality: null };
  const entry = { ...none, at: iso(step.atMs), kind: step.kind, count: step.count };
  if (step.kind === "reset") return entry;
  if (step.kind === "correction") {
    const { by, note } = step.correction;
    return { ...entry, by: { _id: by.id, name: by.name }, note };
  }
  if (step.kind === "outage") return { ...entry, sens: idOf(step.outage.num), note: outageNote(step.outage) };
  const counted = step.kind === "flow" ? step.flow : step.interval;
  const notes =
    step.kind === "flow" ? ["Live: will be replaced by the sensor's next record."] : countNotes(step, sinceMs);
  if (step.uncounted > 0) notes.push(`Kept at 0: ${people(step.uncounted)} more left than were counted inside.`);
  if (step.early > 0)
    notes.push(`Shown as 0: ${people(step.early)} more left than entered. Waiting for all doors to report.`);
  return {
    ...entry,
    sens: idOf(counted.num),
    in: counted.in,
    out: counted.out,
    note: notes.length > 0 ? notes.join(" ") : null,
    quality: step.kind === "count" ? (datapointQualities[step.interval.quality] ?? null) : null,
  };
}

function countNotes({ interval, known }: Extract<LedgerStep, { kind: "count" }>, sinceMs: number): string[] {
  const { startMs, endMs, knownMs } = interval;
  const notes: string[] = [];
  if (startMs < sinceMs) notes.push("The interval started before the reset.");
  const missedMs = endMs - startMs - knownMs;
  if (missedMs >= minuteMs) notes.push(`Not counted for ${lasting(missedMs)}.`);
  if (known.in + known.out > 0) notes.push(`A correction already included ${known.in} in and ${known.out} out.`);
  return notes;
}

function outageNote({ fromMs, toMs, kind }: Outage): string {
  if (kind === "silent") {
    const silent = Number.isFinite(toMs)
      ? `No records for ${lasting(toMs - fromMs)}.`
      : `No records since ${iso(fromMs)}.`;
    return `${silent} Counting continues without this sensor.`;
  }
  const what = kind === "offline" ? "Not connected" : "View obstructed";
  if (!Number.isFinite(fromMs))
    return Number.isFinite(toMs) ? `${what} until ${iso(toMs)}.` : `${what}, never connected.`;
  return Number.isFinite(toMs) ? `${what} for ${lasting(toMs - fromMs)}.` : `${what} since ${iso(fromMs)}.`;
}

/** Why the state is unknown, or how inaccurate the count may be. */
export function explainState(ledger: Ledger, shown: DisplayState, isNow: boolean, sent: ShownStateRow | null): string {
  const parts: string[] = [];
  if (!ledger.runs) parts.push("The app is turned off.");
  else if (ledger.isBlind)
    parts.push("None of the chosen sensors can count. They are offline or their view is obstructed.");
  const { length: silent } = ledger.silent;
  if (silent === 1) parts.push("One sensor has not sent records for two intervals. Counting continues without it.");
  if (silent > 1)
    parts.push(`${silent} sensors have not sent records for two intervals. Counting continues without them.`);
  const width = shown.high - shown.count;
  parts.push(
    width === 0
      ? "Nothing has been counted since the last reset or correction."
      : `The true number should be within ${width} of the count. About 3 of 100 passes are counted wrongly.`,
  );
  if (ledger.unknownMs >= minuteMs) parts.push(`Sensors did not count for ${lasting(ledger.unknownMs)} in total.`);
  if (!isNow) {
    parts.push("Live counts since the last record, which displays also show, are not stored.");
    if (sent) parts.push(`Displays last showed "${sent.state}" with ${sent.count} inside, at ${iso(sent.atMs)}.`);
  }
  return parts.join(" ");
}
