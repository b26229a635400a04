-- The list of customers finds the marked sensors below an account from either side: by the marks, or by the account.
create index sensor_mark_sensor on sensor_mark (sensor_num);
create index counted_sensor_by_path on counted_sensor (owner_path, sensor_num);
