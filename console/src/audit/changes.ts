// Changed fields of an audit entry, as text and references to objects.
import { getRightName } from "@psp/contract/permission/right-names.ts";
import { listScopes, withOwnAccountView } from "@psp/contract/permission/permissions.ts";
import { permissionsSchema } from "@psp/contract/permission/document.ts";
import type { Scope } from "@psp/contract/permission/scope.ts";
import { openingHoursSchema } from "@psp/contract/opening/opening-hours.ts";
import { describeExceptions, describeHolidays, describeWeek } from "../opening/opening.words.ts";
import type { NamedType } from "../entity/reference/useNames.ts";
import { formatExactTime } from "../ui/time/RelativeTime.tsx";
import {
  toSentenceCase,
  fieldLabels,
  historyText,
  loginText,
  scopeText,
  sharedFieldLabels,
  valueLabels,
} from "./history.text.ts";

/** A string, or a reference whose name is looked up. */
export type ChangePart = string | { type: Exclude<NamedType, "sensor">; id: string };

export type FieldChange = {
  field: string;
  /** Undefined if there is no previous value to show. */
  before?: ChangePart[];
  /** Undefined if only the fact of the change is recorded, as for passwords. */
  after?: ChangePart[];
};

type Facts = Record<string, unknown>;
/** Describes the changed fields of a sensor's section by form label. Returns null for other entries (section-changes.ts). */
export type DescribeSectionChanges = (before: Facts, after: Facts) => FieldChange[] | null;

const isFacts = (value: unknown): value is Facts =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const factsOf = (value: unknown): Facts => (isFacts(value) ? value : {});

/** Fields that are compared as a whole, not field by field. */
const whole = new Set(["permissions", "credentials", "location.address"]);
/** Fields that are not shown, because they are redundant or irrelevant. */
const left = new Set(["location.geo", "task", "status", "info", "via", "timeout", "data"]);

const references: Record<string, Exclude<NamedType, "sensor">> = {
  owner: "account",
  parent: "account",
  role: "role",
  measID: "measurement",
  artifact: "artifact",
  account: "account",
  assignedTo: "account",
  "scope.owner": "account",
};

const times = new Set(["until", "startedAt"]);

function flat(value: Facts, prefix = ""): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const [key, one] of Object.entries(value)) {
    const path = prefix + key;
    if (left.has(path)) continue;
    const app = path === "applications" && Array.isArray(one) ? factsOf(one[0]) : null;
    if (app !== null) {
      found.set(path, app["enabled"] === true);
      for (const entry of flat(factsOf(app["settings"]), `${path}.`)) found.set(...entry);
      continue;
    }
    // Also records whether the settings exist, because they may be null.
    if (path === "monitoringConfig") {
      found.set(path, isFacts(one));
      if (!isFacts(one)) continue;
    }
    if (path === "openingHours") {
      for (const entry of hoursInWords(one)) found.set(...entry);
      continue;
    }
    if (isFacts(one) && !whole.has(path)) for (const entry of flat(one, `${path}.`)) found.set(...entry);
    else found.set(path, one);
  }
  return found;
}

/** Week, exceptions and holidays of opening hours as sentences. */
function hoursInWords(value: unknown): [path: string, words: string | null][] {
  const { data: hours } = openingHoursSchema.safeParse(value);
  return [
    ["openingHours", hours ? describeWeek(hours.week) : null],
    ["openingHours.exceptions", hours ? describeExceptions(hours.exceptions) : null],
    ["openingHours.holidays", hours ? describeHolidays(hours.holidays) : null],
  ];
}

const isEmpty = (value: unknown) =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);

/** `sees` is the audit type of the object. */
export function changesOf(sees: string, before: unknown, after: unknown): FieldChange[] {
  const [from, to] = [flat(factsOf(before)), flat(factsOf(after))];
  const isNew = !isFacts(before);
  return [...new Set([...from.keys(), ...to.keys()])].flatMap((path): FieldChange[] => {
    const [was, is] = [from.get(path), to.get(path)];
    // An audit row may contain only a part of the object.
    if ((!isNew && !from.has(path) && path !== "newRestPassword") || !to.has(path)) return [];
    if (JSON.stringify(was ?? null) === JSON.stringify(is ?? null)) return [];
    if (path === "permissions") return rightChanges(isNew ? undefined : was, is);
    if (path === "credentials") return loginChanges(was, is, isNew);
    if (path === "newRestPassword") return [{ field: wordOf(sees, path) }];
    if (isNew && isEmpty(is)) return [];
    return [
      {
        field: wordOf(sees, path),
        ...(isNew ? {} : { before: changePartsOf(path, was) }),
        after: changePartsOf(path, is),
      },
    ];
  });
}

function wordOf(sees: string, path: string): string {
  const known = fieldLabels[sees]?.[path] ?? sharedFieldLabels[path];
  if (known !== undefined) return known;
  const [first = "", ...rest] = path.split(".");
  return [fieldLabels[sees]?.[first] ?? toSentenceCase(first), ...rest.map(toSentenceCase)].join(" › ");
}

function changePartsOf(path: string, value: unknown): ChangePart[] {
  if (isEmpty(value)) return [historyText.none];
  const type = references[path];
  if (type !== undefined && typeof value === "string") return [{ type, id: value }];
  if (path === "scope.measIDs" && Array.isArray(value)) return [historyText.locations(value.length)];
  if (path === "location.address") return [addressOf(factsOf(value))];
  const at = times.has(path) ? Date.parse(String(value)) : Number.NaN;
  if (!Number.isNaN(at)) return [formatExactTime(at)];
  const word = valueLabels[path]?.[String(value)];
  return [word ?? wordsOf(value)];
}

function wordsOf(value: unknown): string {
  if (typeof value === "boolean") return value ? historyText.on : historyText.off;
  if (Array.isArray(value)) return value.map(wordsOf).join(", ");
  return isFacts(value) ? Object.values(value).map(wordsOf).join(" ") : String(value);
}

function addressOf({ formatted, street, zip, city, country }: Facts): string {
  const line = [street, [zip, city].filter(Boolean).join(" "), country].filter(Boolean).join(", ");
  return typeof formatted === "string" && formatted !== "" ? formatted : line || historyText.none;
}

type Login = { email?: string; step?: number; newPassword?: boolean };

function loginChanges(was: unknown, is: unknown, isNew: boolean): FieldChange[] {
  const listOf = (value: unknown) => (Array.isArray(value) ? (value as Login[]) : []);
  const nameOf = ({ email }: Login) => email ?? loginText.forgotten;
  const [before, after] = [new Map(listOf(was).map((one) => [nameOf(one), one])), listOf(is)];
  const kept = new Set(after.map(nameOf));
  const stepOf = ({ step }: Login) => [loginText.steps[String(step)] ?? String(step)];
  return [
    ...after.flatMap((login): FieldChange[] => {
      const email = nameOf(login);
      const known = before.get(email);
      if (known === undefined)
        return [{ field: loginText.login, ...(isNew ? {} : { before: [historyText.none] }), after: [email] }];
      return [
        ...(known.step === login.step
          ? []
          : [{ field: loginText.registration(email), before: stepOf(known), after: stepOf(login) }]),
        ...(login.newPassword === true ? [{ field: loginText.password(email) }] : []),
      ];
    }),
    ...[...before.keys()]
      .filter((email) => !kept.has(email))
      .map((email) => ({ field: loginText.login, before: [email], after: [historyText.none] })),
  ];
}

/** Lines such as "Sensor › Edit: own account → own account and all sub-accounts". */
function rightChanges(was: unknown, is: unknown): FieldChange[] {
  const [before, after] = [rightsOf(was), rightsOf(is)];
  return [...after].flatMap(([field, reach]): FieldChange[] => {
    const earlier = before.get(field) ?? [scopeText.notAllowed];
    if (JSON.stringify(earlier) === JSON.stringify(reach)) return [];
    if (was === undefined) return [{ field, after: reach }];
    return [{ field, before: earlier, after: reach }];
  });
}

function rightsOf(document: unknown): Map<string, ChangePart[]> {
  const parsed = permissionsSchema.safeParse(document ?? {});
  const permissions = withOwnAccountView(parsed.success ? parsed.data : {});
  return new Map([
    [scopeText.createAccounts, [permissions.owner?.canCreateOwner === true ? historyText.on : scopeText.notAllowed]],
    ...listScopes(permissions).map(({ key, scope }) => [getRightName(key), reachOf(scope ?? {})] as const),
  ]);
}

function reachOf({ me, myChildren, relativeAncestorLevel = 0, roles = [] }: Scope): ChangePart[] {
  const parts: ChangePart[][] = [];
  if (me && myChildren) parts.push([scopeText.both]);
  else if (me) parts.push([scopeText.me]);
  else if (myChildren) parts.push([scopeText.children]);
  if (relativeAncestorLevel > 0) parts.push([scopeText.ancestors(relativeAncestorLevel)]);
  for (const id of roles) parts.push([scopeText.role, { type: "role", id }]);
  if (parts.length === 0) return [scopeText.notAllowed];
  return parts.flatMap((part, index) => (index === 0 ? part : [scopeText.and, ...part]));
}
