-- When accounts and logins were deleted: a while later nobody finds the people behind them any more (ADR 0049).
alter table account add column deleted_at timestamptz, add column purged_at timestamptz;
update account set deleted_at = updated_at where is_deleted;
create index account_to_purge on account (deleted_at) where is_deleted and purged_at is null;

alter table credential add column deleted_at timestamptz;
-- A login that went alone left no time behind; its account was changed with it, or later.
update credential c set deleted_at = greatest(a.updated_at, c.created_at)
  from account a where a.id = c.account_id and c.is_deleted;
create index credential_to_purge on credential (deleted_at) where is_deleted;

-- Mails to an address, whoever asks in whichever spelling.
create index mail_outbox_recipient on mail_outbox (lower(recipient));

-- An entry of the audit trail without some addresses (in lower case) of its logins; the same entry when it has none of them.
create function without_emails(entry jsonb, emails text[]) returns jsonb language sql immutable as $$
  select case when jsonb_typeof(entry -> 'credentials') = 'array' then
    jsonb_set(entry, '{credentials}', coalesce((
      select jsonb_agg(case when lower(login ->> 'email') = any (emails) then login - 'email' else login end order by n)
      from jsonb_array_elements(entry -> 'credentials') with ordinality as one (login, n)), '[]'))
  else entry end
$$;
