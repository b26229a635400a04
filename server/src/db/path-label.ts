// Creates path labels of the account tree: a sequence number as five base-62 digits, in the order of collation C.
import { sql } from "kysely";
import type { Reader } from "./database.ts";

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const width = 5;

export async function allocatePathLabels(db: Reader, n: number): Promise<string[]> {
  const { rows } = await sql<{
    n: number;
  }>`select nextval('account_label') as n from generate_series(1, ${n}::int)`.execute(db);
  return rows.map((row) => toLabel(row.n));
}

function toLabel(number: number): string {
  let rest = number;
  let label = "";
  for (let place = 0; place < width; place += 1) {
    label = (digits[rest % digits.length] ?? "0") + label;
    rest = Math.floor(rest / digits.length);
  }
  return label;
}
