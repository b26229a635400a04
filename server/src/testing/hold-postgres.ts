// A process that starts an embedded PostgreSQL, prints its URL, and stops it on SIGTERM. Tests kill this process.

import { startEmbeddedPostgres } from "../db/postgres/embedded-postgres.ts";

const say = (message: string) => console.error(message);
const dataDir = process.argv[2];
if (dataDir === undefined) throw new Error("usage: hold-postgres.ts DATA_DIR");
try {
  const postgres = await startEmbeddedPostgres({ dataDir, log: { info: say, warn: say, error: say } });
  process.once("SIGTERM", () => void postgres.stop().then(() => process.exit(0)));
  // Printed last, because the reader may send the signal at once.
  console.log(postgres.url);
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
