// Changes in the order in which they were announced, numbered; the latest are remembered for clients that come back.
import type { EntityChanged } from "../kit/bus.ts";

export type NumberedChange = EntityChanged & { seq: number };

const remembered = 20_000;

export function createChangeLog(startMs: number) {
  const changes: NumberedChange[] = [];
  // Numbers of an earlier process, or of a sibling, must not be taken for our own: a client that comes with one reloads.
  let seq = startMs * 10;
  const next = () => (seq += 1);
  return {
    next,
    /** The number of the latest event. */
    latest: () => seq,
    add(event: EntityChanged): NumberedChange {
      const numbered = { ...event, seq: next() };
      changes.push(numbered);
      if (changes.length > remembered * 1.5) changes.splice(0, changes.length - remembered);
      return numbered;
    },
    /** Whether all that came after this number is remembered. */
    knowsSince: (since: number) => since <= seq && since >= (changes[0]?.seq ?? seq + 1) - 1,
    since: (since: number) => changes.filter((change) => change.seq > since),
    forget() {
      changes.length = 0;
    },
  };
}
