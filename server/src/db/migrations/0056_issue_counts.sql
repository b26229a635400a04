-- Open issues are counted with an index that stores equal keys once. Included columns prevent that.
drop index sensor_issue_by_path;
create index sensor_issue_by_path on sensor_issue (owner_path, issue_status, snoozed_until) where owner_path is not null;
