-- Totals are sums over a stretch of this index: with the number in it the rows themselves need not be read.
alter table owned_count drop constraint owned_count_pkey;
create unique index owned_count_pkey on owned_count (kind, owner_path) include (n);
alter table owned_count add primary key using index owned_count_pkey;
