// Kysely types of the tables of firmware and packages.
import type { ColumnType, Generated } from "kysely";
import type { VersionedColumns, OwnedColumns } from "../db/columns.ts";

declare module "../db/tables.ts" {
  interface Tables {
    firmware: VersionedColumns &
      OwnedColumns & {
        id: string;
        type: string;
        name: string;
        precedence: string;
        children_can_view: Generated<boolean>;
        size: string | null;
        md5: string | null;
        sha256: string | null;
        package_id: string | null;
        signature: string | null;
        seq: number | null;
      };
    firmware_package: {
      id: string;
      kept_in: "postgres" | "s3";
      piece_bytes: number;
      touched_at: ColumnType<Date, Date, Date>;
    };
    firmware_chunk: { package_id: string; n: number; data: Buffer };
  }
}
