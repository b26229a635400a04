// Kysely types of the event tables.
import type { EventScopeKind } from "./event.wire.ts";
import type { ColumnType, Generated } from "kysely";
import type { Nullable, OwnedColumns, VersionedColumns } from "../db/columns.ts";

declare module "../db/tables.ts" {
  interface Tables {
    event: VersionedColumns &
      OwnedColumns & {
        id: string;
        name: string;
        first_day: number;
        last_day: number;
        scope_kind: EventScopeKind;
        location_ids: Generated<string[]>;
        tag: Nullable<string>;
        tag_search: ColumnType<string | null, never, never>;
        exclude_from_comparison: boolean;
      };
    event_location: { event_id: string; location_id: string; owner_id: string };
  }
}
