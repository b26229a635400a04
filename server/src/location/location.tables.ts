// Kysely types of the table of locations.
import type { ColumnType, Generated } from "kysely";
import type { MaybeJson, Stamped, Owned } from "../db/columns.ts";

declare module "../db/tables.ts" {
  interface Tables {
    location: Stamped &
      Owned & {
        id: string;
        name: string;
        lat: number | null;
        lng: number | null;
        timezone: string | null;
        address: MaybeJson<Record<string, string | null>>;
        country: string | null;
        tags: Generated<string[]>;
        applications: ColumnType<unknown[], string | undefined, string>;
        monitoring_config: MaybeJson<unknown>;
        license_buildings: Generated<boolean>;
        license_occupancy: Generated<boolean>;
      };
  }
}
