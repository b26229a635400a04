// Paths of accounts: one label per level, so that everything at and below an account is a single range of an index.
import { type RawBuilder, sql } from "kysely";
import type { Reader } from "./database.ts";

/** In the order of collation C. */
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Characters of a label, which is a sequence number in base 62. */
export const labelLength = 5;

export async function allocatePathLabels(db: Reader, n: number): Promise<string[]> {
  const { rows } = await sql<{
    n: number;
  }>`select nextval('account_label') as n from generate_series(1, ${n}::int)`.execute(db);
  return rows.map((row) => toLabel(row.n));
}

function toLabel(number: number): string {
  let rest = number;
  let label = "";
  for (let place = 0; place < labelLength; place += 1) {
    label = (digits[rest % digits.length] ?? "0") + label;
    rest = Math.floor(rest / digits.length);
  }
  return label;
}

/** A path, or SQL that yields one, such as `sql.ref("a.path")`. */
type Path = string | RawBuilder<unknown>;

/** Sorts after all paths below; `~` comes after every digit. */
const endOf = (top: Path) => (typeof top === "string" ? `${top}~` : sql`${top} || '~'`);

export function isAtOrBelow(column: string, top: Path): RawBuilder<boolean> {
  const path = sql.ref(column);
  return sql<boolean>`(${path} >= ${top} and ${path} < ${endOf(top)})`;
}

export function isBelow(column: string, top: Path): RawBuilder<boolean> {
  const path = sql.ref(column);
  return sql<boolean>`(${path} > ${top} and ${path} < ${endOf(top)})`;
}
