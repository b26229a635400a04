-- Idempotency keys: a request that is sent again with the same key gets the answer of the first.
create table idempotency (
  account_id uuid not null,
  key text not null,
  request_hash bytea not null,
  reply jsonb,
  created_at timestamptz not null,
  primary key (account_id, key)
);
create index idempotency_by_age on idempotency (created_at);
