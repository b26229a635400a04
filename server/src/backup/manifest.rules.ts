// The manifest of a base backup: its files with their hashes, its place in the WAL, and the tables' counts and hashes.
import { createHash } from "node:crypto";
import { z } from "zod";

const fileSchema = z.object({ path: z.string(), size: z.int(), sha256: z.string() });
const tableSchema = z.object({ name: z.string(), count: z.int(), hash: z.string() });

const manifestSchema = z.object({
  format: z.literal(1),
  name: z.string(),
  systemId: z.string(),
  /** Number of the installation, which names the folder of its WAL. */
  installation: z.int(),
  timeline: z.int(),
  segmentBytes: z.int(),
  /** Where the recovery begins. */
  startLsn: z.string(),
  /** The restore point at which the tables had these counts and hashes. */
  point: z.object({ name: z.string(), lsn: z.string(), at: z.iso.datetime() }),
  /** Settings that the recovering server must have at least. */
  settings: z.record(z.string(), z.string()),
  folders: z.array(z.string()),
  /** Paths relative to the folder of the backup. */
  files: z.array(fileSchema),
  tables: z.array(tableSchema),
});

export type Manifest = z.output<typeof manifestSchema>;
export type BackupFile = z.output<typeof fileSchema>;
export type TableSum = z.output<typeof tableSchema>;

/** JSON, with its own hash in the last line. */
export function writeManifest(manifest: Manifest): string {
  const json = `${JSON.stringify(manifest)}\n`;
  return `${json}${hashOf(json)}\n`;
}

/** Null if the text was modified or has another format. */
export function readManifest(text: string): Manifest | null {
  const end = text.indexOf("\n") + 1;
  const json = text.slice(0, end);
  if (hashOf(json) !== text.slice(end).trim()) return null;
  return manifestSchema.safeParse(JSON.parse(json)).data ?? null;
}

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");

/** Describes tables whose rows differ. */
export function compareTables(expected: readonly TableSum[], found: readonly TableSum[]): string[] {
  const byName = new Map(found.map((table) => [table.name, table]));
  return expected.flatMap(({ name, count, hash }) => {
    const other = byName.get(name);
    if (other?.count === count && other.hash === hash) return [];
    const what =
      other === undefined ? "is missing" : other.count === count ? "has other rows" : `has ${other.count} rows`;
    return [`${name} ${what} (${count} rows in the backup)`];
  });
}
