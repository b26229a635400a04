// Checks at the start where DATABASE_READ_URL leads. A replica that is not available, or has not replayed a new database yet, is no reason
// to wait: the primary answers.
import type pg from "pg";
import type { Logger } from "pino";
import { ConfigError } from "../../environment.ts";
import { connect } from "../connection/connect.ts";
import { isDatabaseUnavailable } from "../database.ts";
import { findCluster, findReplayed } from "./position.ts";

const missingDatabase = "3D000";
const missingTable = "42P01";

/** Throws ConfigError for another database, a pooler, or a refused login. */
export async function inspectReplica({ url, readUrl }: { url: string; readUrl: string }, log: Logger): Promise<void> {
  const clients: pg.Client[] = [];
  try {
    const primary = await connect(url);
    clients.push(primary);
    const replica = await connect(readUrl, {}, "replica").catch((error: unknown) => {
      if (isDatabaseUnavailable(error) || isMissing(error, url, readUrl)) return null;
      const reason = error instanceof Error ? error.message : String(error);
      throw error instanceof ConfigError ? error : new ConfigError(`DATABASE_READ_URL: ${reason}`);
    });
    if (replica === null) return log.warn("the replica is not ready; reads use DATABASE_URL meanwhile");
    clients.push(replica);
    if ((await findCluster(replica)) !== (await findCluster(primary)))
      throw new ConfigError("DATABASE_READ_URL leads to another database than DATABASE_URL");
    const replayed = await findReplayed(replica).catch((error: unknown) => {
      if (codeOf(error) === missingTable) return "behind" as const;
      throw error;
    });
    if (replayed === "pooler") throw new ConfigError("DATABASE_READ_URL must not lead through a pooler");
    if (replayed === "no replica") log.warn("DATABASE_READ_URL leads to a primary; reads use DATABASE_URL meanwhile");
  } finally {
    await Promise.allSettled(clients.map((client) => client.end()));
  }
}

/** Whether the replica lacks the primary's database; a database with another name is a mistake in the URL. */
function isMissing(error: unknown, url: string, readUrl: string): boolean {
  return codeOf(error) === missingDatabase && nameOf(url) === nameOf(readUrl);
}

const codeOf = (error: unknown) => (error instanceof Error && "code" in error ? error.code : undefined);

/** Of a URL that may name several hosts. */
const nameOf = (url: string) => /^\w+:\/\/[^/]*\/([^?]*)/.exec(url)?.[1];
