// The caller of a request: the account with its rights and position, and request metadata. Long calls end when the
// right or the session ends (ADR 0013).
import type { Actor } from "@psp/contract/permission/can.ts";

/** The account's position in the tree, which SQL needs to apply an account set. */
export type ActorWithPath = { id: string; path: string; parentAccounts: readonly string[] };

export type SessionActor = Actor &
  ActorWithPath & {
    name: string;
    sessionId: string;
    credentialId: string;
    email: string;
  };

export type Caller = SessionActor & {
  request: {
    id: string;
    /** `Idempotency-Key` and a digest of the request, or null. */
    idempotency: { key: string; hash: Buffer } | null;
    /** The version of `If-Match`, or null. */
    ifMatch: number | null;
  };
};

export type LongCall = {
  /** The caller with the rights at the start of the long call. */
  caller: Caller;
  signal: AbortSignal;
  /**
   * Sets the check, replacing any earlier one. It runs with current rights whenever rights, owners or owned objects change, including
   * changes since the start of the call. An exception ends the call. It must read from the primary.
   */
  reliesOn(check: RightsCheck): void;
};
export type RightsCheck = (caller: Caller) => unknown;
