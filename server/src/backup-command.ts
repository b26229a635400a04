// The command line of backups: `npm run backup -- --help`.
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { makeBackup } from "./backup/base.service.ts";
import { readBackupConfig } from "./config.ts";
import { ConfigError } from "./environment.ts";

const help = `npm run backup -- [TARGET] [--keep N]

Backs up the embedded database in DATA_DIR and its secrets into the folder TARGET, or BACKUP_DIR if it is set.
The product may be running. The backup is checked before it counts as complete.

  --keep N   keeps the newest N backups in TARGET, and deletes older ones with the log that only they need

BACKUP_PASSPHRASE_FILE or BACKUP_PASSPHRASE holds the passphrase that seals the secrets.
Restore with: npm run restore -- --help
`;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { keep: { type: "string" }, help: { type: "boolean" } },
  });
  if (values.help) return say(help);
  const config = readBackupConfig(process.env);
  if (config.databaseUrl !== null)
    throw new ConfigError("DATABASE_URL is set. Back up that server with its own tools, see docs/operations.md");
  const [given, ...more] = positionals;
  if (more.length > 0) throw new ConfigError("Only one TARGET is allowed");
  const target = given === undefined ? config.backupDir : resolve(given);
  if (target === null) throw new ConfigError("Name the folder to back up into: npm run backup -- TARGET");
  const keep = values.keep === undefined ? null : Number(values.keep);
  if (keep !== null && !(Number.isInteger(keep) && keep > 0)) throw new ConfigError("--keep needs a number from 1 on");
  const name = await makeBackup(config, { target, keep, say });
  say(`The backup ${name} in ${target} is complete`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
