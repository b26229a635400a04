-- Accounts that belong to the organization of an account above: colleagues, and those that their creator counts to it.
alter table account add column shares_organization boolean not null default false;
update account set shares_organization = true where is_colleague;
