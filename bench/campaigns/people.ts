// Accounts with a role and a session, as callers of campaigns.
import { createHash, randomBytes } from "node:crypto";
import type pg from "pg";
import type { Api } from "../product.ts";

type Made = { _id: string };

export const newToken = (): string => randomBytes(32).toString("base64url");

/** Creates an account below the parent's, with a role that root gives the parent; returns its id. */
export async function addPerson(root: Api, parent: Api, name: string, permissions: object): Promise<string> {
  const { _id: owner } = await parent.call<Made>("GET", "/api/auth/user");
  const role = await root.call<Made>("POST", "/api/role", { name: `Role of ${name}`, owner, permissions });
  const email = `${name.toLowerCase().replaceAll(" ", "-")}@example.com`;
  return (await parent.call<Made>("POST", "/api/account", { name, role: role._id, email }))._id;
}

/** Creates the session of an account, or recreates it if a request ended it. */
export async function openSession(db: pg.Client, id: string, token: string): Promise<void> {
  const hash = createHash("sha256").update(token).digest();
  await db.query(
    `insert into session (id, token_hash, account_id, credential_id, created_at, last_used_at, expires_at)
     select gen_random_uuid(), $1, account_id, id, now(), now(), now() + interval '30 days' from credential
     where account_id = $2 and not is_deleted and not exists (select from session where token_hash = $1) limit 1`,
    [hash, id],
  );
}
