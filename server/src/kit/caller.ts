// Who is behind a request: the account with its rights and place in the tree, the request's own marks, and
// calls that take long, as their use cases see them: what began with a right ends when the right or the session does (ADR 0013).
import type { Actor } from "@psp/contract/permission/can.ts";

/** Where an account hangs in the tree: what SQL needs beside a set of accounts to select the rows of their things. */
export type PlacedActor = { id: string; path: string; parentAccounts: readonly string[] };

/** The account behind a session, with its rights. */
export type SessionActor = Actor &
  PlacedActor & {
    name: string;
    sessionId: string;
    credentialId: string;
    email: string;
  };

export type Caller = SessionActor & {
  request: {
    id: string;
    /** From `Idempotency-Key`: the key and a digest of what was asked, or null. */
    idempotency: { key: string; hash: Buffer } | null;
    /** From `If-Match`: the version the caller knows, or null. */
    ifMatch: number | null;
  };
};

export type LongCall = {
  /** Who calls, with the rights of the moment at which it was begun to be watched. */
  caller: Caller;
  /** Aborted with the AppError that ends the call. */
  signal: AbortSignal;
  /**
   * What the call relies on, instead of what was said before. It is asked with the rights at that time whenever rights,
   * owners or what is owned changed, also if that was between the beginning and now. What it throws ends the call.
   */
  reliesOn(check: Check): void;
};
/** Throws when the call may not go on. */
export type Check = (caller: Caller) => unknown;
