-- Wrong registration codes of the last day. They limit the attempts of each account, across processes and restarts (ADR 0017).
create table claim_miss (
  account_id uuid not null references account (id),
  at timestamptz not null
);
create index claim_miss_by_account on claim_miss (account_id, at);
create index claim_miss_by_time on claim_miss (at);
