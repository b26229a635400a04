// Parses one record of a batch. Unreadable lines and zones are refused individually, and the rest is stored.
import { type DeviceRecord, recordSchema } from "@psp/contract/device/device-messages.ts";
import type { z } from "zod";

/** `refused` is the reason if anything was refused. Never both null. */
export type ParsedRecord = { record: DeviceRecord | null; refused: string | null };

type Item = Record<string, unknown>;
const isItem = (value: unknown): value is Item => typeof value === "object" && value !== null && !Array.isArray(value);

/** Never throws. A record without any readable line or zone is refused as a whole. */
export function readRecord(raw: unknown): ParsedRecord {
  const checked = recordSchema.safeParse(raw);
  if (checked.success) return withoutDuplicates(checked.data);
  const { issues } = checked.error;
  const [issue] = issues;
  const refused = `${issue?.path.join(".") || "record"}: ${wordsOf(issue)}`;
  const list = isItem(raw) ? listOf(raw) : null;
  if (!list || !isItem(raw) || !issues.every(({ path }) => path[0] === list.key && typeof path[1] === "number"))
    return { record: null, refused };
  const bad = new Set(issues.map(({ path }) => path[1]));
  const good = list.items.filter((_, index) => !bad.has(index));
  if (good.length === 0) return { record: null, refused };
  const rest = recordSchema.safeParse({ ...raw, [list.key]: good });
  return rest.success ? { record: withoutDuplicates(rest.data).record, refused } : { record: null, refused };
}

function wordsOf(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === "too_small") return `less than ${issue.minimum}`;
  if (issue?.code === "too_big") return `more than ${issue.maximum}`;
  return issue?.message ?? "invalid";
}

function listOf(record: Item): { key: "lines" | "zones"; items: unknown[] } | null {
  for (const key of ["lines", "zones"] as const) {
    const items = record[key];
    if (Array.isArray(items)) return { key, items };
  }
  return null;
}

/** Lines with the same id contradict each other, so both are refused. */
function withoutDuplicates(record: DeviceRecord): ParsedRecord {
  if (record.t !== "count" || record.lines.length < 2) return { record, refused: null };
  const times = new Map<string, number>();
  for (const { id } of record.lines) times.set(id, (times.get(id) ?? 0) + 1);
  if (times.size === record.lines.length) return { record, refused: null };
  const lines = record.lines.filter(({ id }) => times.get(id) === 1);
  return { record: lines.length === 0 ? null : { ...record, lines }, refused: "lines: A line appears twice" };
}
