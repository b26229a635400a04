-- Idempotency keys. A repeated request with the same key gets the response to the first request.
create table idempotency (
  account_id uuid not null,
  key text not null,
  request_hash bytea not null,
  reply jsonb,
  created_at timestamptz not null,
  primary key (account_id, key)
);
create index idempotency_by_age on idempotency (created_at);
