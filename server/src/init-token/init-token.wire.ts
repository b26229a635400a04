// Converts init token rows to the API format; no other file does so.
import type { InitToken } from "@psp/contract/init-token/init-token.ts";
import { toOwnerRef } from "../owned/owner.ts";
import type { Context } from "../context.ts";
import { unseal } from "../kit/sealing.ts";
import type { InitTokenRow } from "./init-token.store.ts";

export function toSealPurpose(id: string): string {
  return `init-token:${id}`;
}

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

/** Decrypts the secret. The caller must have the right to edit the token, and each reveal must be audited. */
export function revealSecret(ctx: Context, row: { id: string; token_sealed: Buffer }): string {
  return unseal(ctx.config, toSealPurpose(row.id), row.token_sealed);
}

/** The audited fields: those that users can change, except the secret. */
export function initTokenTrail(row: { name: string; owner_id: string; firmware_id: string | null }) {
  return { name: row.name, owner: row.owner_id, artifact: row.firmware_id };
}
