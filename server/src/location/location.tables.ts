// Kysely types of the table of locations.
import type { OpeningHours } from "@psp/contract/opening/opening-hours.ts";
import type { ColumnType, Generated } from "kysely";
import type { Nullable, NullableJson, VersionedColumns, OwnedColumns } from "../db/columns.ts";

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
        opening_hours: NullableJson<OpeningHours>;
        hours_key: ColumnType<string | null, never, never>;
        open_sums_key: Nullable<string>;
        external_id: Nullable<string>;
        applications: ColumnType<unknown[], string | undefined, string>;
        monitoring_config: NullableJson<unknown>;
        license_buildings: Generated<boolean>;
        license_occupancy: Generated<boolean>;
      };
  }
}
