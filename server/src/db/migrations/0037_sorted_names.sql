-- Normalized names for search and sorting, which ignore case, accents and repeated spaces and sort numbers by value.
-- cspell:disable
create function searched_text(value text) returns text language sql immutable strict parallel safe as $$
  select regexp_replace(
    replace(replace(replace(
      translate(lower(regexp_replace(normalize(value, NFKD), '[\u0300-\u036f]', '', 'g')), 'øłđðþıħ', 'olddtih'),
      'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'),
    '\s+', ' ', 'g')
$$;

-- Numbers are padded to 20 digits.
create function sorted_text(value text) returns text language sql immutable strict parallel safe as $$
  select regexp_replace(regexp_replace(btrim(searched_text(value)), '([0-9]+)', '00000000000000000000\1', 'g'),
    '0{0,20}([0-9]{20,})', '\1', 'g')
$$;

alter table account
  add name_search text not null generated always as (searched_text(name)) stored,
  add name_sort text collate "C" not null generated always as (sorted_text(name)) stored;
alter table role
  add name_search text not null generated always as (searched_text(name)) stored,
  add name_sort text collate "C" not null generated always as (sorted_text(name)) stored;
alter table location
  add name_search text not null generated always as (searched_text(name)) stored,
  add name_sort text collate "C" not null generated always as (sorted_text(name)) stored;
alter table firmware
  add name_search text not null generated always as (searched_text(name)) stored;
alter table init_token
  add name_search text not null generated always as (searched_text(name)) stored,
  add name_sort text collate "C" not null generated always as (sorted_text(name)) stored;

drop index account_by_name, account_name_trgm, location_by_name, location_name_trgm, location_by_occupancy;
create index account_by_name on account (name_sort, name, id);
create index account_name_trgm on account using gin (name_search gin_trgm_ops);
create index location_by_name on location (name_sort, name, id) where not is_deleted;
create index location_name_trgm on location using gin (name_search gin_trgm_ops);
create index location_by_occupancy on location (license_occupancy, name_sort, name, id) where not is_deleted;
