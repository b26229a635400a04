-- Outbox of mails. A mail is inserted in the transaction that causes it, and then sent with retries.
create table mail_outbox (
  id uuid primary key,
  recipient text not null,
  subject text not null,
  text_body text not null,
  html_body text not null,
  queued_at timestamptz not null,
  not_before timestamptz not null,
  attempts integer not null default 0,
  last_error text,
  sent_at timestamptz,
  -- Whether the mail is one of many, such as the invitations of an import. All other mails are sent first.
  bulk boolean not null default false
);
create index mail_outbox_sent on mail_outbox (sent_at) where sent_at is not null;
create index mail_outbox_due on mail_outbox (bulk, not_before) where sent_at is null;
-- Finds all mails to an address, ignoring case (ADR 0011).
create index mail_outbox_recipient on mail_outbox (lower(recipient));
