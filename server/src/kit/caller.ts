// Who is behind a request: the account with its rights and place in the tree, and the request's own marks.
import type { Actor } from "@psp/contract/permission/can.ts";
import type { PlacedActor } from "../db/visible.ts";

export type Caller = Actor &
  PlacedActor & {
    name: string;
    sessionId: string;
    credentialId: string;
    email: string;
    request: {
      id: string;
      /** From `Idempotency-Key`: the key and a digest of what was asked, or null. */
      idempotency: { key: string; hash: Buffer } | null;
      /** From `If-Match`: the version the caller knows, or null. */
      ifMatch: number | null;
    };
  };
