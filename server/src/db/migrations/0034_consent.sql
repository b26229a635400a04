-- Since when a login is one that an account above added, or gave a password, although the account had a complete login already:
-- for some time it does not speak for the account's consent.
alter table credential add column from_above_at timestamptz;
