// Converts account rows to the API and to the audit log.
import type { Account } from "@psp/contract/account/account.ts";
import type { Context } from "../context.ts";
import type { AccountRow, LockedAccount } from "./account.store.ts";

export function toAccount(ctx: Context, row: AccountRow): Account {
  const credentials = row.credentials ?? [];
  return {
    _id: row.id,
    name: row.name,
    role: row.role_ref,
    credentials: credentials.map(({ email }) => ({ email })),
    registrationInfo: credentials.map(({ email, step, legal }) => ({
      stepReached: step,
      legal,
      credentials: { email },
    })),
    parentAccounts: row.ancestor_ids,
    status: { numActiveSessions: ctx.presences.of(row.id), lastSeenAt: row.last_seen_at?.toISOString() ?? null },
    phone: row.phone,
    street: row.street,
    streetNumber: row.street_number,
    zip: row.zip,
    city: row.city,
    country: row.country,
    supplier: row.supplier,
    readonlyAddress: row.readonly_address,
    isDeleted: row.is_deleted,
    version: row.version,
  };
}

/** The fields that the audit log records: everything that people can change, except secrets. */
export function toAuditedAccount(row: LockedAccount, logins: { email: string; step: number; newPassword?: boolean }[]) {
  const { name, phone, street, zip, city, country, supplier } = row;
  return {
    name,
    role: row.role_id,
    parent: row.parent_id,
    credentials: logins.map(({ email, step, newPassword }) => ({
      email,
      step,
      ...(newPassword ? { newPassword } : {}),
    })),
    address: { phone, street, streetNumber: row.street_number, zip, city, country, supplier },
    openingHours: row.opening_hours,
  };
}
