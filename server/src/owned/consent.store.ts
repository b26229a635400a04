// Queries for the owner's consent, which parent accounts may need.
import { registrationSteps } from "@psp/contract/account/account.ts";
import { type RawBuilder, sql } from "kysely";
import { isBelow } from "../db/account-path.ts";
import type { Reader } from "../db/database.ts";
import type { ActorWithPath } from "../kit/caller.ts";

export type ConsentState = {
  required: boolean;
  /** Whether the owner has a registered login, which could give consent. */
  hasLogins: boolean;
  /** Whether the account has a current session on this sensor to which the owner agreed. */
  granted: boolean;
};

const complete = sql.lit(registrationSteps.complete);
const hasLogins = (account: string) => sql<boolean>`exists (select from credential c
  where c.account_id = ${sql.ref(account)} and c.step = ${complete} and not c.is_deleted)`;

/** `modes`: session modes that suffice as consent. */
export async function findConsentFor(
  reader: Reader,
  ownerId: string,
  { accountId, sensorNum, modes, now }: { accountId: string; sensorNum: number; modes: readonly string[]; now: Date },
): Promise<ConsentState | undefined> {
  const { rows } = await sql<ConsentState>`
    select o.remote_consent as required, ${hasLogins("o.id")} as "hasLogins", exists (
      select from remote_session r where r.sensor_num = ${sensorNum} and r.account_id = ${accountId} and r.owner_id = o.id
        and r.consent = 'given' and r.ended_at is null and r.mode = any(${[...modes]}::text[])
        and (r.until is null or r.until > ${now})
    ) as granted
    from account o where o.id = ${ownerId}`.execute(reader);
  return rows[0];
}

export async function hasOverride(reader: Reader, accountId: string, sensorId: string, since: Date): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select exists (select from audit where object_type = 'sensor'
    and object_id = ${sensorId} and action = ${overrideAction} and account_id = ${accountId} and at > ${since}) as found`.execute(
    reader,
  );
  return rows[0]?.found ?? false;
}

export const overrideAction = "overrideConsent";

/**
 * Condition for sensors whose owner is an account below the actor and requires consent. The root account is exempt if the owner has no
 * login that could consent.
 */
export function isProtectedFrom(actor: ActorWithPath, { id, path }: { id: string; path: string }): RawBuilder<boolean> {
  const isRoot = actor.parentAccounts.length === 0;
  return sql<boolean>`(${isBelow(path, actor.path)} and exists (
    select from account o where o.id = ${sql.ref(id)} and o.remote_consent and ${isRoot ? hasLogins("o.id") : sql`true`}))`;
}

export async function isProtected(reader: Reader, actor: ActorWithPath, ownerId: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select ${isProtectedFrom(actor, { id: "a.id", path: "a.path" })} as found from account a where a.id = ${ownerId}`.execute(
    reader,
  );
  return rows[0]?.found ?? false;
}

/** When a parent account last set this login's password, or null. */
export async function findPasswordSetByParent(reader: Reader, credentialId: string): Promise<Date | null> {
  const row = await reader
    .selectFrom("credential")
    .select("from_above_at")
    .where("id", "=", credentialId)
    .executeTakeFirst();
  return row?.from_above_at ?? null;
}
