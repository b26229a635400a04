-- The list of locations with or without the occupancy license, by name: the few of one kind are found without walking the many.
create index location_by_occupancy on location (license_occupancy, name, id) where not is_deleted;
