-- Skipping to a deep page of the whole fleet walks the ids; with the mark of the deleted in the index the rows need not be read.
alter table sensor drop constraint sensor_pkey;
create unique index sensor_pkey on sensor (id) include (is_deleted);
alter table sensor add primary key using index sensor_pkey;
