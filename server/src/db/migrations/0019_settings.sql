-- Named values of the whole installation.
create table setting (
  name text primary key,
  value jsonb not null
);
