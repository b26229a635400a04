// Splits audit rows into export lines, one per changed value.
import type { AuditRow } from "@psp/contract/audit/audit.ts";
import type { Cell } from "../kit/row-stream.ts";

/** `field` is the path in the audit row, such as `location.timezone`. It is empty if no value is recorded. */
export type AuditLine = { row: AuditRow; field: string; old: Cell; new: Cell };

type Facts = Record<string, unknown>;

const isFacts = (value: unknown): value is Facts =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function toAuditLines(row: AuditRow): AuditLine[] {
  const { before, after } = row;
  const [from, to] = [flat(before), flat(after)];
  const lines = [...new Set([...from.keys(), ...to.keys()])].flatMap((field): AuditLine[] => {
    const [was, is] = [from.get(field), to.get(field)];
    // Fields of `before` that `after` lacks did not change.
    if (isFacts(after) && !Object.hasOwn(after, field.split(".", 1)[0] ?? "")) return [];
    return asText(was) === asText(is) ? [] : [{ row, field, old: toCell(was), new: toCell(is) }];
  });
  return lines.length > 0 ? lines : [{ row, field: "", old: null, new: null }];
}

function flat(value: unknown, prefix = ""): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const [key, one] of Object.entries(isFacts(value) ? value : {})) {
    if (isFacts(one)) for (const [path, leaf] of flat(one, `${prefix}${key}.`)) found.set(path, leaf);
    else found.set(prefix + key, one);
  }
  return found;
}

const asText = (value: unknown) => JSON.stringify(value ?? null);

function toCell(value: unknown): Cell {
  if (value === null || value === undefined || typeof value === "string" || typeof value === "number") return value;
  return JSON.stringify(value);
}
