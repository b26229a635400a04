// Connects the commands to the embedded database, running or not.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import type { BackupConfig } from "../config.ts";
import { startEmbeddedPostgres } from "../db/postgres/embedded-postgres.ts";
import type { PostgresLog } from "../db/postgres/postgres-orphan.ts";
import { socketUrl } from "../db/postgres/postgres-process.ts";
import { archiveSettings } from "../db/postgres/wal-archive.ts";

export type Connect = () => Promise<pg.Client>;

/** Uses the running database of the product, or starts it until `work` is done. Connects as superuser. */
export async function withDatabase<T>(
  { dataDir, backupDir }: Pick<BackupConfig, "dataDir" | "backupDir">,
  say: (line: string) => void,
  work: (connect: Connect, url: string) => Promise<T>,
): Promise<T> {
  const folder = join(dataDir, "postgres");
  const opened: pg.Client[] = [];
  const connectTo = async (url: string) => {
    const client = new pg.Client({ connectionString: url, application_name: "ps-platform backup" });
    client.on("error", () => undefined);
    await client.connect();
    opened.push(client);
    return client;
  };
  const lines = (await readFile(join(folder, "postmaster.pid"), "utf8").catch(() => "")).split("\n");
  const running = socketUrl(lines[4]?.trim() ?? "", "postgres", "psp");
  const isRunning = await connectTo(running).then(
    () => true,
    () => false,
  );
  const log: PostgresLog = { info: say, warn: () => undefined, error: say };
  const settings = backupDir === null ? {} : archiveSettings;
  const own = isRunning ? null : await startEmbeddedPostgres({ dataDir: folder, log, settings });
  const url = own === null ? running : own.superuserUrl.replace("/postgres?", "/psp?");
  try {
    return await work(() => connectTo(url), url);
  } finally {
    for (const client of opened) await client.end().catch(() => undefined);
    await own?.stop();
  }
}
