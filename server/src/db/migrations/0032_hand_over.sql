-- From when on counts belong to a location (ADR 0055): an assignment that is a sensor's first also stands for the time
-- before it, but only as far as the sensor had the same owner then.
alter table sensor_location add column counts_from timestamptz;
update sensor_location a set counts_from = case
    when exists (select from sensor_location b where b.sensor_num = a.sensor_num and b.from_at < a.from_at) then a.from_at
    when s.visible_from <= a.from_at then s.visible_from
    else '-infinity'
  end
  from sensor s where s.num = a.sensor_num;
alter table sensor_location alter column counts_from set not null;
