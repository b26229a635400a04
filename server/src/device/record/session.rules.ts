// Finds where the records of a new session begin, because an external broker may deliver them before the session's birth.

/**
 * What a buffer knows about the sessions that fill it. `awaitedAbove` is the highest number that was stored before the first records of
 * session `sid`, as long as its birth has not arrived; otherwise null.
 */
export type BufferSession = { sid: string | null; formerSids: readonly string[]; awaitedAbove: number | null };

const maxFormer = 4;

/** Null if the session is known. Without an earlier session no numbering can have restarted, so no birth is awaited. */
export function beginWithRecords(known: BufferSession, sid: string, highest: () => number): BufferSession | null {
  if (sid === known.sid || known.formerSids.includes(sid)) return null;
  return { ...replaceSession(known, sid), awaitedAbove: known.sid === null ? null : highest() };
}

/**
 * Null if the birth is repeated, or belongs to a former session. Otherwise `before` is the highest number that was stored before the
 * session: at a higher `seq.next`, the device continues its numbering. Without `sid`, every birth begins a session.
 */
export function beginWithBirth(
  known: BufferSession,
  sid: string | undefined,
  highest: () => number,
): { session: BufferSession; before: number } | null {
  if (sid === undefined) return { session: known, before: highest() };
  if (known.formerSids.includes(sid)) return null;
  if (sid !== known.sid) return { session: replaceSession(known, sid), before: highest() };
  if (known.awaitedAbove === null) return null;
  return { session: { ...known, awaitedAbove: null }, before: known.awaitedAbove };
}

function replaceSession({ sid: former, formerSids }: BufferSession, sid: string): BufferSession {
  return {
    sid,
    formerSids: former === null ? formerSids : [former, ...formerSids].slice(0, maxFormer),
    awaitedAbove: null,
  };
}
