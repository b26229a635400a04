// The kinds of columns that tables are described with: what is read, inserted and set.
import type { ColumnType, Generated } from "kysely";

export type At = ColumnType<Date, Date | string, Date | string>;
export type MaybeAt = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
export type Json<T> = ColumnType<T, string, string>;
export type MaybeJson<T> = ColumnType<T | null, string | null | undefined, string | null>;
/** Text or bytes that may be missing. */
export type Maybe<T> = ColumnType<T | null, T | null | undefined, T | null>;
/** Of every object that people make: when, its version for If-Match, and whether it was deleted. */
export type Stamped = {
  is_deleted: Generated<boolean>;
  version: Generated<number>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
};

/** Of every object that belongs to an account, with a copy of the owner's place in the tree. */
export type Owned = { owner_id: string; owner_path: string };
