-- Which change came first: batches leave alone what somebody changed after they were asked for (ADR 0041). Every change of
-- a sensor by people draws a number while it holds the row; a batch draws its own when it is asked for.
create sequence change_order;

-- The number of the last change of each field, and of anything that people change; null as long as nobody did.
alter table sensor
  add owner_mark bigint,
  add location_mark bigint,
  add firmware_mark bigint,
  add groups_mark bigint,
  add claimable_mark bigint,
  add changed_mark bigint;
-- A sensor that was made after a batch was asked for was not meant by it, neither to be deleted nor to be given away.
alter table sensor
  alter owner_mark set default nextval('change_order'),
  alter changed_mark set default nextval('change_order');

-- Zero for those that were under way before there were numbers: whatever has one is later.
alter table sensor_batch add asked_mark bigint not null default 0;
alter table sensor_batch alter asked_mark drop default;
comment on column sensor_batch_fail.code is
  'The catalogue''s number; 0: canceled before its turn; -1: changed by somebody else after the batch was asked for';

create function mark_change() returns trigger language plpgsql as $$
begin
  case tg_argv[0]
    when 'owner' then new.owner_mark = nextval('change_order');
    when 'location' then new.location_mark = nextval('change_order');
    when 'firmware' then new.firmware_mark = nextval('change_order');
    when 'groups' then new.groups_mark = nextval('change_order');
    when 'claimable' then new.claimable_mark = nextval('change_order');
    else new.changed_mark = nextval('change_order');
  end case;
  return new;
end $$;

-- They wake for a column that is named, also when its value stays: who sets it means it. Who sets the mark along with
-- the column, as batches do, saves the call. What devices tell of themselves names none of these columns.
create trigger sensor_owner_mark before update of owner_id on sensor for each row
  when (new.owner_mark is not distinct from old.owner_mark) execute function mark_change('owner');
create trigger sensor_location_mark before update of location_id on sensor for each row
  when (new.location_mark is not distinct from old.location_mark) execute function mark_change('location');
create trigger sensor_firmware_mark before update of firmware_id on sensor for each row
  when (new.firmware_mark is not distinct from old.firmware_mark) execute function mark_change('firmware');
create trigger sensor_groups_mark before update of groups on sensor for each row
  when (new.groups_mark is not distinct from old.groups_mark) execute function mark_change('groups');
create trigger sensor_claimable_mark before update of claimable on sensor for each row
  when (new.claimable_mark is not distinct from old.claimable_mark) execute function mark_change('claimable');
create trigger sensor_changed_mark before update of version on sensor for each row
  when (new.changed_mark is not distinct from old.changed_mark) execute function mark_change('changed');
