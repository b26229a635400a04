-- The triggers of 0022 make PostgreSQL take every generated column for a changed one. In a plain unique index `wire_id` would be a
-- key, and each update of a sensor would wait for whoever stores its records (they hold its key) instead of passing by. A partial
-- index is as unique, and no key.
alter table sensor drop constraint sensor_wire_id_key;
create unique index sensor_wire_id_key on sensor (wire_id) where wire_id is not null;
