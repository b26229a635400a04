-- serves from: 0059
-- Counts are partitioned by month (ADR 0020). The tables so far become the default partitions, without copying or reading rows. A job
-- adds the other partitions.

alter table count_hot rename to count_hot_rest;
alter table count_hot_rest rename constraint count_hot_pkey to count_hot_rest_pkey;
alter index count_hot_ahead rename to count_hot_rest_ahead;
create table count_hot (like count_hot_rest including comments, primary key (sensor_num, start_ms, line_no))
  partition by range (start_ms);
create index count_hot_ahead on count_hot ((start_ms + duration_ms)) where is_ahead;
alter table count_hot attach partition count_hot_rest default;

alter table count_pack rename to count_pack_rest;
alter table count_pack_rest rename constraint count_pack_pkey to count_pack_rest_pkey;
create table count_pack (like count_pack_rest including comments including storage, primary key (sensor_num, month))
  partition by range (month);
alter table count_pack attach partition count_pack_rest default;
