// Kysely types of the outbox.
import type { Generated } from "kysely";
import type { At, Maybe, MaybeAt } from "../db/columns.ts";

export type MailTable = {
  id: string;
  recipient: string;
  subject: string;
  text_body: string;
  html_body: string;
  queued_at: At;
  not_before: At;
  attempts: Generated<number>;
  last_error: string | null;
  sent_at: MaybeAt;
  /** Sent after all other mails. */
  bulk: Generated<boolean>;
  unsubscribe_url: Maybe<string>;
};

declare module "../db/tables.ts" {
  interface Tables {
    mail_outbox: MailTable;
  }
}
