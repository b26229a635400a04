// The command line of restores: `npm run restore -- --help`.
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { pino } from "pino";
import { type Aftermath, finishExternalRestore } from "./backup/after-restore.service.ts";
import { withDatabase } from "./backup/database.adapter.ts";
import { restoreBackup } from "./backup/restore.service.ts";
import { type BackupConfig, readBackupConfig, readConfig } from "./config.ts";
import { ConfigError } from "./environment.ts";
import { openDatabase } from "./db/database.ts";
import { readErased } from "./kit/backup/erased-ids.ts";
import { dropHeldMails, releaseHeldMails } from "./mail/mail.store.ts";

const help = `npm run restore -- SOURCE [--at TIME] [--replace]
npm run restore -- --send-mails | --delete-mails
npm run restore -- --after-external

Restores a backup from the folder SOURCE into DATA_DIR. Stop the product first.

  --at TIME         the state at this time, like 2026-11-29T14:05:00+01:00; without it the newest one
  --replace         allows a DATA_DIR that is not empty; what it holds is kept in a folder beside
  --send-mails      sends the mails that wait since the restore
  --delete-mails    deletes them
  --after-external  does the steps after a restore on the database of DATABASE_URL

BACKUP_PASSPHRASE_FILE or BACKUP_PASSPHRASE holds the passphrase that opens the secrets.
`;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Only with a zone, because the machine's own may differ from the operator's. */
function parseTime(text: string): Date {
  const time = new Date(text);
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(time.getTime()))
    return time;
  throw new ConfigError("--at needs a time with zone, like 2026-11-29T14:05:00+01:00 or 2026-11-29T13:05:00Z");
}

function report({ installation, heldMails, erased }: Aftermath): void {
  say(`Sessions, tokens and display links have ended. Installation number: ${installation}`);
  if (erased > 0) say(`Erased the personal data of ${erased} accounts and logins again`);
  if (heldMails > 0)
    say(
      `Mails that wait: ${heldMails}. Send them with npm run restore -- --send-mails, or delete them with --delete-mails`,
    );
}

/** Runs on the database of DATABASE_URL, or the embedded one. */
async function decideOnMails(config: BackupConfig, isSending: boolean): Promise<void> {
  const decide = async (url: string) => {
    const db = openDatabase(url, { pool: 1, log: pino({ level: "error" }) });
    try {
      say(
        isSending
          ? `${await releaseHeldMails(db)} mails will be sent`
          : `${await dropHeldMails(db)} mails were deleted`,
      );
    } finally {
      await db.destroy();
    }
  };
  if (config.databaseUrl !== null) await decide(config.databaseUrl);
  else await withDatabase(config, say, (_, url) => decide(url));
}

async function main(): Promise<void> {
  const flag = { type: "boolean" } as const;
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      at: { type: "string" },
      replace: flag,
      "send-mails": flag,
      "delete-mails": flag,
      "after-external": flag,
      help: flag,
    },
  });
  if (values.help) return say(help);
  const config = readBackupConfig(process.env);
  if (values["send-mails"] || values["delete-mails"]) return decideOnMails(config, values["send-mails"] === true);
  if (values["after-external"]) {
    const erased = config.backupDir === null ? [] : await readErased(config.backupDir);
    return report(await finishExternalRestore(readConfig(process.env), erased));
  }
  const [source, ...more] = positionals;
  if (source === undefined || more.length > 0)
    throw new ConfigError("Name one backup folder: npm run restore -- SOURCE");
  const at = values.at === undefined ? null : parseTime(values.at);
  const options = { source: resolve(source), at, replace: values.replace === true, env: process.env, say };
  const restored = await restoreBackup(config, options);
  if (restored === null) return say("Finished the restore that was interrupted. Start the product");
  say(`Restored ${restored.base} until ${restored.until?.toISOString() ?? "the gap in the archived log"}`);
  report(restored);
  if (restored.keptIn !== null)
    say(`The former state is in ${restored.keptIn}. Delete it once you don't need it anymore`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
