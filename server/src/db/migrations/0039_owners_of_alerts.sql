-- Account whose configuration caused the alert; null for alerts that were queued before this migration.
alter table alert add column account_id uuid references account (id);
