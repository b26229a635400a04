-- Lists that include the deleted read a view's own rows as well, not the whole table: the living are one end of the index, the
-- deleted the other, and a question about both skips between them.
drop index sensor_by_path;
create index sensor_by_path on sensor (is_deleted, owner_path, id);
drop index location_by_path;
create index location_by_path on location (is_deleted, owner_path, id);
