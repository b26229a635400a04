-- Batches over sensors: the request, its progress, and the failures. Each part commits together with its progress (ADR 0015).
create table sensor_batch (
  id uuid primary key,
  account_id uuid not null references account (id),
  -- Id of the request that started the batch, for the audit log, and the idempotency key of that request.
  request_id text not null,
  key text,
  kind text not null check (kind in ('update', 'delete')),
  changes jsonb,
  -- The sensors selected when the batch started. A query is not run again.
  ids text[] not null,
  total integer not null,
  done integer not null default 0,
  success integer not null default 0,
  started_at timestamptz not null,
  touched_at timestamptz not null,
  finished_at timestamptz,
  canceled_at timestamptz,
  -- The batch's number in change_order. The batch does not overwrite later changes (ADR 0015).
  asked_mark bigint not null
);
create index sensor_batch_by_account on sensor_batch (account_id, started_at desc);
create index sensor_batch_open on sensor_batch (touched_at) where finished_at is null;

create table sensor_batch_fail (
  batch_id uuid not null references sensor_batch (id) on delete cascade,
  sensor_id text collate "C" not null,
  code smallint not null,
  primary key (batch_id, sensor_id)
);
comment on column sensor_batch_fail.code is
  'The catalogue''s number; 0: canceled before its turn; -1: changed by somebody else after the batch was asked for';
