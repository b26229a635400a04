// Kysely types of the table of locations.
import type { ColumnType, Generated } from "kysely";
import type { NullableJson, VersionedColumns, OwnedColumns } from "../db/columns.ts";

declare module "../db/tables.ts" {
  interface Tables {
    location: VersionedColumns &
      OwnedColumns & {
        id: string;
        name: string;
        lat: number | null;
        lng: number | null;
        timezone: string | null;
        address: NullableJson<Record<string, string | null>>;
        country: string | null;
        tags: Generated<string[]>;
        applications: ColumnType<unknown[], string | undefined, string>;
        monitoring_config: NullableJson<unknown>;
        license_buildings: Generated<boolean>;
        license_occupancy: Generated<boolean>;
      };
  }
}
