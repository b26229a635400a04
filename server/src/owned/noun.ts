// What a kind of things that accounts own declares about itself, once: the use cases in change.ts, lists and live messages read it.
import type { OwnableType } from "@psp/contract/permission/permissions.ts";
import type { Selectable } from "kysely";
import type { Context } from "../context.ts";
import type { Owned, Stamped } from "../db/columns.ts";
import type { Reader } from "../db/database.ts";
import type { Condition } from "../db/list.ts";
import type { Tables } from "../db/tables.ts";
import type { EntityChanged } from "../kit/bus.ts";
import type { Caller } from "../kit/caller.ts";
import type { reasonsOfOwned } from "./owned.reasons.ts";

/** Tables whose rows have an id, an owner and a version. */
export type OwnedTable = {
  [T in keyof Tables]: Tables[T] extends Stamped & Owned & { id: string } ? T : never;
}[keyof Tables];

export type StoredRow<T extends OwnedTable> = Selectable<Tables[T]> & {
  id: string;
  owner_id: string;
  owner_path: string;
  version: number;
};

export type OwnedNoun<T extends OwnedTable, Row = unknown, Wire = unknown> = {
  table: T;
  /** Its name in live messages, events and the audit trail. */
  type: EntityChanged["type"];
  /** Whose rights count: init tokens are sensors. */
  rights: OwnableType;
  reasons: ReturnType<typeof reasonsOfOwned>;
  /** Rows of the table that the caller views, deleted ones included. */
  sees(caller: Caller): Condition;
  /** One visible living row as `toWire` takes it, or null. */
  find(ctx: Context, reader: Reader, caller: Caller, id: string): Promise<Row | null>;
  toWire(ctx: Context, row: Row): Wire;
  /** What the audit trail keeps of a row. */
  trail(row: StoredRow<T>): unknown;
  /** What the event of a change or a deletion says besides, about the row before. */
  eventOf?(before: StoredRow<T>): Partial<EntityChanged>;
};
