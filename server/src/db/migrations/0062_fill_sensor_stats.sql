-- Counts all sensors for `sensor_stat`, in a transaction of its own, so that no writer waits. Changes that its snapshot sees are in these
-- sums already. Those of transactions that commit meanwhile stay, and are added later.
-- serves from: 0059
set transaction isolation level repeatable read;
delete from sensor_stat_change;
insert into sensor_stat
  select f.stat, s.owner_path, f.value, count(*) from sensor s cross join lateral stats_of(s) f
  group by f.stat, s.owner_path, f.value;
analyze sensor_stat;
