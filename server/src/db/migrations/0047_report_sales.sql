-- Locations whose sales a run contains: its files need the right to edit them.
alter table report_run add column sold_location_ids uuid[] not null default '{}';
