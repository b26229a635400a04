-- When an address that is known already was told that somebody signed up with it (decisions 6); at most three an hour.
create table registration_notice (
  credential_id uuid primary key references credential (id) on delete cascade,
  mailed_at timestamptz[] not null
);
