// Who is behind a request: the account with its rights and place in the tree, and the request's own marks.
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
