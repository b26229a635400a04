-- Whose configuration an alert comes from; null for those that were queued before this was kept.
alter table alert add column account_id uuid references account (id);
