-- The account whose configuration caused the alert. Null for alerts that were queued before this migration.
alter table alert add column account_id uuid references account (id);
