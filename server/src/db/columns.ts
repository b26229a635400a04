// Kysely column types for reads, inserts and updates.
import type { ColumnType, Generated } from "kysely";

export type Timestamp = ColumnType<Date, Date | string, Date | string>;
export type NullableTimestamp = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
export type JsonColumn<T> = ColumnType<T, string, string>;
export type NullableJson<T> = ColumnType<T | null, string | null | undefined, string | null>;
export type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>;
/** Columns of all objects that people create. If-Match is checked against the version. */
export type VersionedColumns = {
  is_deleted: Generated<boolean>;
  version: Generated<number>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
};

/** Columns of all objects that belong to an account. `owner_path` is a copy of the owner's position in the tree. */
export type OwnedColumns = { owner_id: string; owner_path: string };
