-- Finds the locations with or without the occupancy license, ordered by name, without reading all others.
create index location_by_occupancy on location (license_occupancy, name, id) where not is_deleted;
