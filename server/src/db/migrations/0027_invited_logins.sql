-- When a login was invited: invitations end, sign-ups don't, and one that was disowned takes only a sign-up's account along.
alter table credential add column invited_at timestamptz;
update credential c set invited_at = c.created_at
  where c.step between 0 and 1 and not exists (
    select from audit a where a.object_type = 'account' and a.object_id = c.account_id::text and a.action = 'sign-up');
create index credential_invited on credential (invited_at) where step = 0 and not is_deleted;
