-- Batches over sensors: what was asked, how far it is, and what failed; each part commits together with its progress (ADR 0023).
create table sensor_batch (
  id uuid primary key,
  account_id uuid not null references account (id),
  -- Of the request that started it: its id for the audit trail, and its idempotency key.
  request_id text not null,
  key text,
  kind text not null check (kind in ('update', 'delete')),
  changes jsonb,
  -- The sensors as they were chosen at the start; a query is not asked again.
  ids text[] not null,
  total integer not null,
  done integer not null default 0,
  success integer not null default 0,
  started_at timestamptz not null,
  touched_at timestamptz not null,
  finished_at timestamptz,
  canceled_at timestamptz
);
create index sensor_batch_by_account on sensor_batch (account_id, started_at desc);
create index sensor_batch_open on sensor_batch (touched_at) where finished_at is null;

create table sensor_batch_fail (
  batch_id uuid not null references sensor_batch (id) on delete cascade,
  sensor_id text collate "C" not null,
  -- The catalogue's number; 0: canceled before its turn.
  code smallint not null,
  primary key (batch_id, sensor_id)
);

-- Thousands of sensors that leave one owner in one transaction would write that owner's counter thousands of times, each
-- time slower. Who says `psp.counts_itself` adds them up at once (ADR 0012, 0023).
drop trigger sensor_count_move on sensor;
create trigger sensor_count_move after update of owner_path, is_deleted on sensor for each row
  when ((old.owner_path is distinct from new.owner_path or old.is_deleted <> new.is_deleted)
    and coalesce(current_setting('psp.counts_itself', true), '') <> 'on')
  execute function move_owned_count('sensor');
