// Finds where the records of a new session begin, because an external broker may deliver them before the session's birth.

/**
 * What a buffer knows about the sessions that fill it. `awaited` is set while the records of session `sid` have arrived, but not its
 * birth: `above` is the highest number that was stored before them, and `since` is the time of the first of them (ms).
 */
export type BufferSession = {
  sid: string | null;
  formerSids: readonly string[];
  awaited: { above: number; since: number } | null;
};

const maxFormer = 16;
/** Shorter than the 30 s after which a device sends again. A device that breaks the protocol may never send a fitting birth. */
const maxWaitMs = 10_000;

/** Null if the session is known. Without an earlier session no numbering can have restarted, so no birth is awaited. */
export function beginWithRecords(
  known: BufferSession,
  sid: string,
  nowMs: number,
  highest: () => number,
): BufferSession | null {
  if (sid === known.sid || known.formerSids.includes(sid)) return null;
  return { ...replaceSession(known, sid), awaited: known.sid === null ? null : { above: highest(), since: nowMs } };
}

/** `before`: the highest number that was stored before the session. `isLate`: records of the session arrived before its birth. */
type Born = { session: BufferSession; before: number; isLate: boolean };

/** Null if the birth is repeated, or belongs to a former session. Without `sid`, every birth begins a session. */
export function beginWithBirth(known: BufferSession, sid: string | undefined, highest: () => number): Born | null {
  const session = known.awaited ? { ...known, awaited: null } : known;
  if (sid === undefined) return { session, before: highest(), isLate: false };
  if (known.formerSids.includes(sid)) return null;
  if (sid !== known.sid) return { session: replaceSession(known, sid), before: highest(), isLate: false };
  return known.awaited && { session, before: known.awaited.above, isLate: true };
}

/**
 * Whether the device restarted its numbering before the session, according to the `seq` of the birth. This is unclear if the birth was sent
 * after records of its session, so that `next` is above their numbers, and the device holds numbers that were stored before the session.
 */
export function judgeNumbering(
  { before, isLate }: Born,
  { first, next }: { first: number; next: number },
  isAnyStored: (above: number, below: number) => boolean,
): "continues" | "restarted" | "unclear" {
  if (before >= next) return "restarted";
  return isLate && first <= before && isAnyStored(before, next) ? "unclear" : "continues";
}

/** Whether acknowledgements wait for the birth. */
export const isBirthAwaited = ({ awaited }: BufferSession, nowMs: number): boolean =>
  awaited !== null && nowMs - awaited.since < maxWaitMs;

function replaceSession({ sid: former, formerSids }: BufferSession, sid: string): BufferSession {
  return {
    sid,
    formerSids: former === null ? formerSids : [former, ...formerSids].slice(0, maxFormer),
    awaited: null,
  };
}
