// The statements that the product itself sends, with their values, and how PostgreSQL would go about them.
import { AsyncLocalStorage } from "node:async_hooks";
import { CompiledQuery } from "kysely";
import pg from "pg";
import type { Reader } from "../db/database.ts";

export type Statement = {
  text: string;
  values: readonly unknown[];
  /** Of what `work` called itself: not of a call over HTTP, and not of the jobs beside it. */
  isOwn: boolean;
};

const working = new AsyncLocalStorage<Statement[]>();

/** What goes out to the database of this process while `work` runs, by whichever connection. */
export async function statementsOf(work: () => Promise<unknown>): Promise<Statement[]> {
  const heard: Statement[] = [];
  const prototype = pg.Client.prototype as { query: (...given: unknown[]) => unknown };
  const { query } = prototype;
  prototype.query = function (this: unknown, ...given: unknown[]) {
    const [what, values] = given;
    const config = typeof what === "string" ? { text: what, values } : (what as { text: string; values?: unknown });
    const isOwn = working.getStore() === heard;
    heard.push({ text: config.text, values: (config.values ?? []) as unknown[], isOwn });
    return query.apply(this, given);
  };
  try {
    await working.run(heard, work);
  } finally {
    prototype.query = query;
  }
  return heard;
}

/** The plan of a statement with its very values. */
export async function planOf(db: Reader, { text, values }: Statement): Promise<string> {
  const { rows } = await db.executeQuery<Record<string, string>>(CompiledQuery.raw(`explain ${text}`, [...values]));
  return rows.map((row) => row["QUERY PLAN"]).join("\n");
}
