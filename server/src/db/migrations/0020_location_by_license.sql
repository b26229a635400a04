-- For lists of locations with or without the occupancy license, by name: finds the few of one kind without reading all others.
create index location_by_occupancy on location (license_occupancy, name, id) where not is_deleted;
