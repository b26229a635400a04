-- Normalized tags of locations for filters and search, which ignore case and accents. Each tag is enclosed by line feeds.
create function searched_tags(tags text[]) returns text language sql immutable strict parallel safe as $$
  select coalesce(E'\n' || string_agg(searched_text(tag), E'\n' order by place) || E'\n', '')
  from unnest(tags) with ordinality as listed (tag, place)
$$;

alter table location
  add tags_search text not null generated always as (searched_tags(tags)) stored;

create index location_tags_trgm on location using gin (tags_search gin_trgm_ops) where tags <> '{}';
-- Finds all tags of the visible locations.
create index location_tagged on location (owner_path, id) where tags <> '{}' and not is_deleted;
