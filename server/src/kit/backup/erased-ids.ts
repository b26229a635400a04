// The list of erased accounts and logins beside the backups, so that a restore can erase them again
// (docs/rules/backup.md#personal-data).
import { mkdir, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

const erasedSchema = z.object({ type: z.enum(["account", "login"]), id: z.uuid(), at: z.iso.datetime() });
export type Erased = z.output<typeof erasedSchema>;

const fileName = "erased.jsonl";

/** Appended before the data is erased. A crash in between only lists an id whose data is erased later. */
export async function noteErased(folder: string | null, erased: Erased): Promise<void> {
  if (folder === null) return;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const handle = await open(join(folder, fileName), "a", 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(erased)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Skips lines that a crash cut off. */
export async function readErased(folder: string): Promise<Erased[]> {
  const text = await readFile(join(folder, fileName), "utf8").catch(() => "");
  return text.split("\n").flatMap((line) => {
    const parsed = erasedSchema.safeParse(tryJson(line));
    return parsed.success ? [parsed.data] : [];
  });
}

function tryJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
