// What every restore does to the database before it is used (docs/rules/backup.md#after-a-restore).
import { pino } from "pino";
import { eraseAgain, purgePersonalData } from "../account/personal-data/personal-data.service.ts";
import type { Config } from "../config.ts";
import { createContext } from "../context.ts";
import { type Database, openDatabase } from "../db/database.ts";
import { raiseInstallationNumber } from "../db/postgres/installation.ts";
import { migrate } from "../db/migrate.ts";
import type { Erased } from "../kit/backup/erased-ids.ts";
import { noteRestoredPasswords } from "../device/device.store.ts";
import { holdQueuedMails } from "../mail/mail.store.ts";
import { countProductConnections, endAccess } from "./after-restore.store.ts";

export type Aftermath = { installation: number; heldMails: number; erased: number };

/** Repeatable: only the number of the installation grows. `config`: that of the restored installation. */
export async function finishRestore(config: Config, url: string, erased: readonly Erased[]): Promise<Aftermath> {
  await migrate(url);
  return withPool(url, async (db) => {
    const ctx = createContext({ config, db, log: pino({ level: "error" }) });
    const done = await db.transaction().execute(async (tx) => {
      await endAccess(tx, ctx.clock.date());
      await noteRestoredPasswords(tx);
      const heldMails = await holdQueuedMails(tx);
      return { heldMails, installation: await raiseInstallationNumber(tx, ctx.clock.date()) };
    });
    const again = await eraseAgain(ctx, erased);
    const stuck = await purgePersonalData(ctx);
    if (stuck > 0) throw new Error(`Personal data of ${stuck} rows could not be erased`);
    return { ...done, erased: again };
  });
}

/** For a database that was restored by other means. Throws if the product already uses it. */
export async function finishExternalRestore(config: Config, erased: readonly Erased[]): Promise<Aftermath> {
  const { directUrl: url } = config.database;
  if (url === null) throw new Error("Set DATABASE_URL to the restored database");
  const others = await withPool(url, countProductConnections);
  if (others > 0)
    throw new Error(`${others} connections of PS.Platform use the database. Stop all its processes first`);
  return finishRestore(config, url, erased);
}

async function withPool<T>(url: string, work: (db: Database) => Promise<T>): Promise<T> {
  const db = openDatabase(url, { pool: 2, log: pino({ level: "error" }), statementTimeoutMs: 0 });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}
