-- Wrong registration codes of the last day: the budget of each account, the same for every process and after every restart
-- (ADR 0017).
create table claim_miss (
  account_id uuid not null references account (id),
  at timestamptz not null
);
create index claim_miss_by_account on claim_miss (account_id, at);
create index claim_miss_by_time on claim_miss (at);
