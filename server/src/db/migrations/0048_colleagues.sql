-- Accounts of persons who belong to the organization of the account above.
alter table account add column is_colleague boolean not null default false;
