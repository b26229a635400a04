// Audit entries for display: title, author and changes.
import { type AuditRow, auditRefusalSchema } from "@psp/contract/audit/audit.ts";
import { type FieldChange, changesOf, type ChangePart, type DescribeSectionChanges } from "./changes.ts";
import { toSentenceCase, historyText as text } from "./history.text.ts";

export type HistoryEntry = {
  id: string;
  at: string;
  title: string;
  isRefused: boolean;
  who: { id: string; name: string } | string;
  changes: FieldChange[];
  notes: string[];
  /** `made` if the entry records the creation of the object, `came` if it records a hand-over or claim. */
  begins: "made" | "came" | null;
};

type Facts = Record<string, unknown>;
const factsOf = (value: unknown): Facts => (typeof value === "object" && value !== null ? (value as Facts) : {});

export function toHistoryEntry(
  row: AuditRow,
  isOldest: boolean,
  sectionChanges: DescribeSectionChanges | null = null,
): HistoryEntry {
  const refusal = refusalOf(row);
  const isMade = row.action === "create" || (isOldest && ["enrol", "sign-up"].includes(row.action));
  const isHandedOver = row.action === "update" && factsOf(row.before)["owner"] !== factsOf(row.after)["owner"];
  const title = refusal?.title ?? (isMade ? text.created : isHandedOver ? text.handedOver : titleOf(row));
  const changes = refusal === null ? changesIn(row, sectionChanges) : [];
  return {
    id: row._id,
    at: row.at,
    title,
    isRefused: refusal !== null,
    who: whoOf(row),
    changes,
    notes: [...(refusal?.notes ?? []), ...notesOf(row, isMade, changes)],
    begins: isMade ? "made" : isHandedOver || row.action === "claim" ? "came" : null,
  };
}

function refusalOf({ action, after }: AuditRow): { title: string; notes: string[] } | null {
  if (action === "enrol-refused") return { title: text.refused(text.strangeDevice), notes: [] };
  if (!action.endsWith("-refused")) return null;
  const refusal = auditRefusalSchema.safeParse(after);
  if (!refusal.success) return { title: toSentenceCase(action), notes: [] };
  return { title: text.refused(refusal.data.error), notes: [text.tried(toSentenceCase(refusal.data.call))] };
}

function titleOf({ action, after }: AuditRow): string {
  const { replacedBy, replaces } = factsOf(after);
  if (action === "replace" && typeof replacedBy === "string") return text.replacedBy(replacedBy);
  if (action === "replace" && typeof replaces === "string") return text.replaces(replaces);
  if (action === "endFirmware") return text.installation[String(factsOf(after)["status"])] ?? text.installationEnded;
  return text.actions[action] ?? toSentenceCase(action);
}

const withoutValues = new Set([
  "delete",
  "release",
  "login",
  "endSession",
  "export",
  "import",
  "readToken",
  "purge",
  "config.set-failed",
  "device.restart-failed",
]);

function changesIn(
  { action, object, before, after }: AuditRow,
  sectionChanges: DescribeSectionChanges | null,
): FieldChange[] {
  if (withoutValues.has(action)) return [];
  const ofSection = action === "config.set" ? sectionChanges?.(factsOf(before), factsOf(after)) : null;
  if (ofSection) return [...ofSection, ...changesOf(object.type, null, { applied: factsOf(after)["applied"] })];
  // The title names the other sensor of a replacement.
  const { version, replacedBy: _by, replaces: _of, ...facts } = factsOf(after);
  // The link to the firmware already shows the version.
  return changesOf(
    object.type,
    before,
    action.endsWith("Firmware") ? facts : { ...facts, ...(version === undefined ? {} : { version }) },
  );
}

function whoOf({ action, who, before }: AuditRow): HistoryEntry["who"] {
  if (who !== null) return { id: who._id, name: who.name };
  if (action.endsWith("-refused")) return action === "enrol-refused" ? text.byProduct : text.notLoggedIn;
  return action === "release" || (action === "claim" && before !== null) ? text.byOther : text.byProduct;
}

function notesOf({ action, before, after }: AuditRow, isMade: boolean, changes: FieldChange[]): string[] {
  if (action === "release") return [text.toOther];
  if (isMade && action === "enrol") return [text.firstContact];
  if (isMade && action === "sign-up") return [text.signedUp];
  if (action === "endFirmware" && typeof factsOf(after)["info"] === "string" && factsOf(after)["info"] !== "")
    return [`${text.reason}: ${String(factsOf(after)["info"])}`];
  if (action.endsWith("-failed")) return [`${text.reason}: ${String(factsOf(after)["reason"])}`];
  return action === "update" && before !== null && changes.length === 0 ? [text.noValues] : [];
}

export function referencesIn(entries: readonly HistoryEntry[]): Map<string, string[]> {
  const ids = new Map<string, Set<string>>();
  const add = (part: ChangePart) => {
    if (typeof part !== "string") ids.set(part.type, (ids.get(part.type) ?? new Set()).add(part.id));
  };
  for (const { who, changes } of entries) {
    if (typeof who !== "string") add({ type: "account", id: who.id });
    for (const { before = [], after = [] } of changes) for (const part of [...before, ...after]) add(part);
  }
  return new Map([...ids].map(([type, found]) => [type, [...found].toSorted()]));
}
