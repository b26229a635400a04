// Kysely types of the outbox and the files that its mails have attached.
import type { Generated } from "kysely";
import type { Timestamp, Nullable, NullableTimestamp } from "../db/columns.ts";

export type MailTable = {
  id: string;
  recipient: string;
  subject: string;
  text_body: string;
  html_body: string;
  queued_at: Timestamp;
  not_before: Timestamp;
  attempts: Generated<number>;
  last_error: string | null;
  /** The mail server refused the recipient for good, not only this mail. */
  is_refused: Generated<boolean>;
  sent_at: NullableTimestamp;
  /** Sent after all other mails. */
  bulk: Generated<boolean>;
  unsubscribe_url: Nullable<string>;
  attachment_ids: Generated<string[]>;
  /** Queued before a restore, and waiting for an operator. */
  is_held: Generated<boolean>;
};

declare module "../db/tables.ts" {
  interface Tables {
    mail_outbox: MailTable;
    mail_attachment: { id: string; name: string; content_type: string; content: Buffer; created_at: Timestamp };
  }
}
