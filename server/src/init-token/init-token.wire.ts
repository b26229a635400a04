// Init token rows as they travel; the only place that writes their API words.
import type { InitToken } from "@psp/contract/init-token/init-token.ts";
import { toOwnerRef } from "../owned/owner.ts";
import type { Context } from "../context.ts";
import { unseal } from "../kit/sealing.ts";
import type { InitTokenRow } from "./init-token.store.ts";

/** What binds a sealed value to its row. */
export function sealedFor(id: string): string {
  return `init-token:${id}`;
}

/** An init token without its secret. */
export function toInitToken(
  ctx: Context,
  row: Omit<InitTokenRow, "token_sealed" | "token_hash" | "created_at" | "updated_at" | "may_edit">,
): InitToken {
  return {
    _id: row.id,
    name: row.name,
    owner: toOwnerRef(ctx, row),
    artifact: row.firmware_ref as InitToken["artifact"],
    isDeleted: row.is_deleted,
    version: row.version,
  };
}

/** The secret itself; only for those who may edit the token, and never without a trace. */
export function revealed(ctx: Context, row: { id: string; token_sealed: Buffer }): string {
  return unseal(ctx.config, sealedFor(row.id), row.token_sealed);
}

/** For the audit trail: what people change, without the secret. */
export function initTokenTrail(row: { name: string; owner_id: string; firmware_id: string | null }) {
  return { name: row.name, owner: row.owner_id, artifact: row.firmware_id };
}
