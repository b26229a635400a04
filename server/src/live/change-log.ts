// Numbers changes in the order of publication and remembers the latest for reconnecting clients.
import type { EntityChanged } from "../kit/bus.ts";

export type NumberedChange = EntityChanged & { seq: number };

const remembered = 20_000;

export function createChangeLog(startMs: number) {
  const changes: NumberedChange[] = [];
  // Derived from the start time, so that this process does not accept numbers of other processes. A client that sends one reloads.
  let seq = startMs * 10;
  const next = () => (seq += 1);
  return {
    next,
    latest: () => seq,
    add(event: EntityChanged): NumberedChange {
      const numbered = { ...event, seq: next() };
      changes.push(numbered);
      if (changes.length > remembered * 1.5) changes.splice(0, changes.length - remembered);
      return numbered;
    },
    canResumeFrom: (since: number) => since <= seq && since >= (changes[0]?.seq ?? seq + 1) - 1,
    since: (since: number) => changes.filter((change) => change.seq > since),
    forget() {
      changes.length = 0;
    },
  };
}
