// Captures the statements that the server sends, with their values and plans.
import { AsyncLocalStorage } from "node:async_hooks";
import { CompiledQuery } from "kysely";
import pg from "pg";
import type { Reader } from "../db/database.ts";

export type Statement = {
  text: string;
  values: readonly unknown[];
  /** Whether `work` itself sent the statement, rather than a job or the handler of an HTTP call. */
  isOwn: boolean;
};

const working = new AsyncLocalStorage<Statement[]>();

/** All statements of this process while `work` runs, on any connection. */
export async function captureStatements(work: () => Promise<unknown>): Promise<Statement[]> {
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

export async function explainStatement(db: Reader, { text, values }: Statement): Promise<string> {
  const { rows } = await db.executeQuery<Record<string, string>>(CompiledQuery.raw(`explain ${text}`, [...values]));
  return rows.map((row) => row["QUERY PLAN"]).join("\n");
}
