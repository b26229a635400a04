// Kysely types of the tables of logins, sessions, tickets and browsers.
import type { Generated } from "kysely";
import type { Timestamp, NullableTimestamp, NullableJson } from "../db/columns.ts";

export type LegalDetails = {
  firstName: string;
  familyName: string;
  department: string;
  dpaAcceptedAt: string;
  eulaAcceptedAt: string;
  dpaVersion: string;
};

declare module "../db/tables.ts" {
  interface Tables {
    credential: {
      id: string;
      account_id: string;
      email: string;
      password_hash: string | null;
      step: number;
      legal: NullableJson<LegalDetails>;
      reg_token: Buffer | null;
      verify_token: Buffer | null;
      token_expires_at: NullableTimestamp;
      /** Null for a sign-up, and for a login that was added with a password. */
      invited_at: NullableTimestamp;
      failed_logins: Generated<number>;
      position: Generated<number>;
      is_deleted: Generated<boolean>;
      deleted_at: NullableTimestamp;
      /** When a parent account added this login or set its password, although the account had a complete login. */
      from_above_at: NullableTimestamp;
      created_at: Generated<Date>;
    };
    session: {
      id: string;
      token_hash: Buffer;
      account_id: string;
      credential_id: string;
      created_at: Timestamp;
      last_used_at: Timestamp;
      expires_at: Timestamp;
      user_agent: string | null;
    };
    known_browser: { credential_id: string; browser_hash: Buffer; last_used_at: Timestamp };
    ticket: { hash: Buffer; session_id: string; expires_at: Timestamp };
    registration_notice: { credential_id: string; mailed_at: Date[] };
    password_reset: { credential_id: string; binding: Buffer | null; mailed_at: Date[] };
  }
}
