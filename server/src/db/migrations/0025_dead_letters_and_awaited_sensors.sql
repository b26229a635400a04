-- Of a sensor's dead letters the newest thousand are kept, and none for longer than thirty days: both are found in an index.
delete from dead_letter d using (
  select id, row_number() over (partition by sensor_num order by at desc, id desc) as age from dead_letter
) old where old.id = d.id and old.age > 1000;
drop index dead_letter_by_time;
create index dead_letter_by_time on dead_letter (sensor_num, at, id);
create index dead_letter_by_age on dead_letter (at);

-- Since when a sensor that a person made known waits for its device; null once the device was there. Whoever waits already has
-- its whole time from now on.
alter table sensor add column awaited_since timestamptz;
update sensor set awaited_since = now()
where not is_deleted and not exists (select from device where device.sensor_num = sensor.num);
create index sensor_awaited on sensor (awaited_since) where awaited_since is not null and not is_deleted;
