-- For lists of locations with or without the occupancy license, ordered by name, which must not read all other locations.
create index location_by_occupancy on location (license_occupancy, name, id) where not is_deleted;
