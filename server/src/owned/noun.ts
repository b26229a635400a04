// Describes a kind of object that accounts own, for change.ts, lists and live messages.
import type { OwnableType } from "@psp/contract/permission/permissions.ts";
import type { Selectable } from "kysely";
import type { Context } from "../context.ts";
import type { OwnedColumns, VersionedColumns } from "../db/columns.ts";
import type { Reader } from "../db/database.ts";
import type { Condition } from "../db/list.ts";
import type { Tables } from "../db/tables.ts";
import type { EntityChanged } from "../kit/bus.ts";
import type { Caller } from "../kit/caller.ts";
import type { createOwnedReasons } from "./owned.reasons.ts";

export type OwnedTable = {
  [T in keyof Tables]: Tables[T] extends VersionedColumns & OwnedColumns & { id: string } ? T : never;
}[keyof Tables];

export type StoredRow<T extends OwnedTable> = Selectable<Tables[T]> & {
  id: string;
  owner_id: string;
  owner_path: string;
  version: number;
};

export type OwnedNoun<T extends OwnedTable, Row = unknown, Wire = unknown> = {
  table: T;
  /** The name in live messages, events and the audit log. */
  type: EntityChanged["type"];
  /** The kind of rights that apply; init tokens use those for sensors. */
  rights: OwnableType;
  reasons: ReturnType<typeof createOwnedReasons>;
  /** Condition for rows visible to the caller, including deleted ones. */
  sees(caller: Caller): Condition;
  /** Finds a visible row that is not deleted, for `toWire`. */
  find(ctx: Context, reader: Reader, caller: Caller, id: string): Promise<Row | null>;
  toWire(ctx: Context, row: Row): Wire;
  /** The audited fields of a row. */
  trail(row: StoredRow<T>): unknown;
  /** Returns additional event fields, computed from the row before the change. */
  eventOf?(before: StoredRow<T>): Partial<EntityChanged>;
};
