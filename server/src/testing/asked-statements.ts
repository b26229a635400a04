// Captures the statements that the server sends, with their values and plans.
import { AsyncLocalStorage } from "node:async_hooks";
import { Server } from "node:http";
import { CompiledQuery } from "kysely";
import pg from "pg";
import type { Reader } from "../db/database.ts";

export type Statement = {
  text: string;
  values: readonly unknown[];
  /** Whether `work` itself sent the statement, rather than a job or the handler of an HTTP call. */
  isOwn: boolean;
  /** Whether a job that `startInBackground` started sent the statement, rather than the handler of an HTTP call. */
  isBackground: boolean;
};

const working = new AsyncLocalStorage<Statement[]>();
const background = new AsyncLocalStorage<boolean>();

/** All statements of this process while `work` runs, on any connection. */
export async function captureStatements(work: () => Promise<unknown>): Promise<Statement[]> {
  const heard: Statement[] = [];
  const prototype = pg.Client.prototype as { query: (...given: unknown[]) => unknown };
  const { query } = prototype;
  prototype.query = function (this: unknown, ...given: unknown[]) {
    const [what, values] = given;
    const config = typeof what === "string" ? { text: what, values } : (what as { text: string; values?: unknown });
    const isOwn = working.getStore() === heard;
    const isBackground = background.getStore() ?? false;
    heard.push({ text: config.text, values: (config.values ?? []) as unknown[], isOwn, isBackground });
    return query.apply(this, given);
  };
  try {
    await working.run(heard, work);
  } finally {
    prototype.query = query;
  }
  return heard;
}

/**
 * Marks the statements of jobs that `start` starts. Handlers of HTTP calls are excluded, although they inherit the context of what opened
 * the port. What a call only triggers, such as a job that another event would have started as well, counts as a job. Returns the function
 * that ends this.
 */
export async function startInBackground(start: () => Promise<void>): Promise<() => void> {
  const emit = Server.prototype.emit;
  Server.prototype.emit = function (this: Server, ...given: Parameters<typeof emit>) {
    return background.run(false, () => emit.apply(this, given));
  };
  await background.run(true, start);
  return () => void (Server.prototype.emit = emit);
}

export async function explainStatement(
  db: Reader,
  { text, values }: Pick<Statement, "text" | "values">,
): Promise<string> {
  const { rows } = await db.executeQuery<Record<string, string>>(CompiledQuery.raw(`explain ${text}`, [...values]));
  return rows.map((row) => row["QUERY PLAN"]).join("\n");
}
