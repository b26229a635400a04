-- When a parent account added this login or set its password, although the account already had a complete login. For some time after
-- that, the login can't give consent for the account.
alter table credential add column from_above_at timestamptz;
