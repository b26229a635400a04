// Queries for registrations.
import { registrationSteps } from "@psp/contract/account/account.ts";
import { type Insertable, type Selectable, sql } from "kysely";
import type { Reader, Tx } from "../db/database.ts";
import type { Tables } from "../db/tables.ts";
import type { LegalDetails } from "../credential/credential.tables.ts";
import { toJsonb } from "../db/storable.ts";

type PostalColumn = "street" | "street_number" | "zip" | "city" | "country";
export type PostalAddress = Record<PostalColumn, string | null>;
type AddressColumn = "phone" | PostalColumn;
type Credential = Selectable<Tables["credential"]>;

export type RegistrationRow = Pick<Credential, "email" | "step" | "verify_token" | "token_expires_at" | "invited_at"> &
  Pick<
    Selectable<Tables["account"]>,
    "name" | "readonly_address" | "is_colleague" | "shares_organization" | AddressColumn
  > & {
    credential_id: string;
    account_id: string;
    account_path: string;
    /**
     * The nearest account above with a complete login and an organization of its own, if it is registered: not root, and with an address.
     * Accounts above one with logins are other organizations.
     */
    home: (PostalAddress & { name: string }) | null;
    /** Name of the nearest account above that is no colleague. */
    above_name: string | null;
  };

/**
 * Finds the registration of a link, including expired invitations. `hold` locks account and credential until the
 * commit.
 */
export async function findRegistration(db: Reader, accountId: string, registration: Buffer, hold: boolean) {
  const { rows } = await sql<RegistrationRow>`
    select c.id as credential_id, c.email, c.step, c.verify_token, c.token_expires_at, c.invited_at,
      a.id as account_id,
      a.path as account_path, a.name, a.phone, a.street, a.street_number, a.zip, a.city, a.country, a.readonly_address,
      a.is_colleague, a.shares_organization, above.name as above_name,
      case when home.parent_id is not null and home.country is not null then jsonb_build_object('name', home.name, 'street', home.street,
        'street_number', home.street_number, 'zip', home.zip, 'city', home.city, 'country', home.country) end as home
    from credential c join account a on a.id = c.account_id
      left join lateral (
        select o.name from account o where o.id = any(a.ancestor_ids) and not o.is_colleague
        order by cardinality(o.ancestor_ids) desc limit 1) above on true
      left join lateral (
        select o.* from account o
        where o.id = any(a.ancestor_ids) and not o.shares_organization and not o.is_deleted and exists (select from credential l
            where l.account_id = o.id and l.step = ${registrationSteps.complete} and not l.is_deleted)
        order by cardinality(o.ancestor_ids) desc limit 1) home on true
    where c.reg_token = ${registration} and a.id = ${accountId}
      and (not a.is_deleted or a.is_colleague and c.step = ${registrationSteps.invited})
      and (not c.is_deleted or c.step = ${registrationSteps.invited})
    ${hold ? sql`for update of a, c` : sql``}`.execute(db);
  return rows[0] ?? null;
}

/** Completes the registration. The code becomes invalid, but the link still shows that the registration is complete. */
export async function finishRegistration(tx: Tx, credentialId: string): Promise<void> {
  await tx
    .updateTable("credential")
    .set({ step: registrationSteps.complete, verify_token: null, token_expires_at: null })
    .where("id", "=", credentialId)
    .execute();
}

export async function fillCredential(
  tx: Tx,
  credentialId: string,
  { passwordHash, legal }: { passwordHash: string; legal: LegalDetails },
): Promise<void> {
  await tx
    .updateTable("credential")
    .set({ password_hash: passwordHash, legal: toJsonb(legal) })
    .where("id", "=", credentialId)
    .execute();
}

/** Increments the version even if no field changes. */
export async function updateAccountFields(
  tx: Tx,
  accountId: string,
  values: Partial<
    Pick<
      Insertable<Tables["account"]>,
      "name" | "supplier" | "readonly_address" | "shares_organization" | AddressColumn
    >
  >,
  now: Date,
): Promise<void> {
  await tx
    .updateTable("account")
    .set({ ...values, version: sql<number>`version + 1`, updated_at: now })
    .where("id", "=", accountId)
    .execute();
}

export type KnownAddress = {
  id: string;
  email: string;
  step: number;
  invited_at: Date | null;
  has_password: boolean;
  account_id: string;
  account_path: string;
};

/** The active credential with this e-mail address (case-insensitive); locks it until the commit. */
export async function lockAddress(tx: Tx, email: string): Promise<KnownAddress | null> {
  const { rows } = await sql<KnownAddress>`
    select c.id, c.email, c.step, c.invited_at, c.password_hash is not null as has_password,
      a.id as account_id, a.path as account_path
    from credential c join account a on a.id = c.account_id
    where lower(c.email) = lower(${email}) and not c.is_deleted for update of c`.execute(tx);
  return rows[0] ?? null;
}

/** Afterwards, the login needs a password reset. */
export async function clearPassword(tx: Tx, credentialId: string): Promise<void> {
  await tx.updateTable("credential").set({ password_hash: null }).where("id", "=", credentialId).execute();
}

/** Finds the root account, which is the parent of sign-ups until they are reviewed. */
export async function findRoot(tx: Tx): Promise<{ id: string; path: string }> {
  return tx.selectFrom("account").select(["id", "path"]).where("parent_id", "is", null).executeTakeFirstOrThrow();
}

export async function insertSignUp(
  tx: Tx,
  account: Insertable<Tables["account"]>,
  credential: { id: string; email: string; passwordHash: string; legal: LegalDetails; at: Date },
): Promise<void> {
  await tx.insertInto("account").values(account).execute();
  await tx
    .insertInto("credential")
    .values({
      id: credential.id,
      account_id: account.id,
      email: credential.email,
      password_hash: credential.passwordHash,
      step: registrationSteps.toReview,
      legal: toJsonb(credential.legal),
      reg_token: null,
      verify_token: null,
      created_at: credential.at,
    })
    .execute();
}

export async function findNoticeTimes(tx: Tx, credentialId: string): Promise<Date[]> {
  const row = await tx
    .selectFrom("registration_notice")
    .select("mailed_at")
    .where("credential_id", "=", credentialId)
    .executeTakeFirst();
  return row?.mailed_at ?? [];
}

export async function saveNoticeMailTimes(tx: Tx, credentialId: string, mailedAt: Date[]): Promise<void> {
  const mailed_at = sql<Date[]>`${mailedAt.map((at) => at.toISOString())}::timestamptz[]`;
  await tx
    .insertInto("registration_notice")
    .values({ credential_id: credentialId, mailed_at })
    .onConflict((conflict) => conflict.column("credential_id").doUpdateSet({ mailed_at }))
    .execute();
}
