// Converts between events and the fields of their form, and checks the fields.
import { parseDay } from "@psp/contract/counts/count-range.ts";
import type { createEvent, updateEvent } from "@psp/contract/event/event.api.ts";
import { type Event, eventDate, findPeriodFault, maxEventLocations, maxEventName } from "@psp/contract/event/event.ts";
import type { ClientInput } from "@psp/contract/kit/endpoint.ts";
import { safeName } from "@psp/contract/kit/safe-text.ts";
import { locationTag } from "@psp/contract/location/location.ts";
import { type NameAndOwner, toNameAndOwnerChange, toOwnerRef, validateName } from "../entity/name-and-owner.tsx";
import type { NamedRef } from "../entity/reference/ReferenceSelect.tsx";
import { eventText as text } from "./event.text.ts";

export type ScopeKind = "locations" | "tag" | "owner";
export type EventFields = NameAndOwner & {
  from: string;
  to: string;
  kind: ScopeKind;
  places: NamedRef[];
  tag: string;
  isExcluded: boolean;
};

export const noEventFields: EventFields = {
  name: "",
  owner: null,
  from: "",
  to: "",
  kind: "locations",
  places: [],
  tag: "",
  isExcluded: false,
};

export function toEventFields(row: Event): EventFields {
  const { scope } = row;
  return {
    name: row.name,
    owner: toOwnerRef(row),
    from: row.from,
    to: row.to,
    kind: "measIDs" in scope ? "locations" : "tag" in scope ? "tag" : "owner",
    places: row.locations.map(({ _id, name }) => ({ id: _id, name })),
    tag: "tag" in scope ? scope.tag : "",
    isExcluded: row.excludeFromComparison,
  };
}

const nameRule = safeName(maxEventName);
const firstMessage = (found: { success: boolean; error?: { issues: { message: string }[] } | undefined }) =>
  found.success ? undefined : found.error?.issues[0]?.message;

const dateFault = (date: string) => (date === "" ? text.dateRequired : firstMessage(eventDate.safeParse(date)));

function scopeFault({ kind, places, tag }: EventFields): string | undefined {
  if (kind === "locations" && places.length === 0) return text.locationsRequired;
  if (kind === "locations" && places.length > maxEventLocations) return text.tooMany(maxEventLocations);
  if (kind === "tag") return tag.trim() === "" ? text.tagRequired : firstMessage(locationTag.safeParse(tag));
  return undefined;
}

export type EventErrors = Record<"name" | "owner" | "from" | "to" | "scope", string | undefined>;

export function eventErrors(values: EventFields): EventErrors {
  const { name, owner, from, to } = values;
  const dates = { from: dateFault(from), to: dateFault(to) };
  const isPeriod = dates.from === undefined && dates.to === undefined;
  return {
    name: validateName(name, text.nameRequired) ?? firstMessage(nameRule.safeParse(name)),
    owner: owner === null ? text.ownerRequired : undefined,
    from: dates.from,
    to: dates.to ?? (isPeriod ? (findPeriodFault(from, to) ?? undefined) : undefined),
    scope: scopeFault(values),
  };
}

function toScope({ kind, places, tag }: EventFields, ownerId: string) {
  if (kind === "locations") return { measIDs: places.map(({ id }) => id) };
  return kind === "tag" ? { tag: tag.trim() } : { owner: ownerId };
}

export function toNewEvent(values: EventFields, ownerId: string): ClientInput<typeof createEvent>["body"] {
  const { from, to, isExcluded } = values;
  return {
    name: values.name.trim(),
    owner: ownerId,
    from,
    to,
    scope: toScope(values, ownerId),
    excludeFromComparison: isExcluded,
  };
}

export function toEventChange(
  values: EventFields,
  changed: readonly (keyof EventFields)[],
): ClientInput<typeof updateEvent>["body"] {
  const { owner, kind, from, to, isExcluded } = values;
  const part = kind === "locations" ? "places" : kind;
  const isOtherScope = changed.includes("kind") || (part !== "owner" && changed.includes(part));
  return {
    ...toNameAndOwnerChange(values, changed),
    ...(changed.includes("from") ? { from } : {}),
    ...(changed.includes("to") ? { to } : {}),
    ...(isOtherScope && owner !== null ? { scope: toScope(values, owner.id) } : {}),
    ...(changed.includes("isExcluded") ? { excludeFromComparison: isExcluded } : {}),
  };
}

/** The last day that fits to a new first day: unchanged, unless it would come before. */
export function lastDayFor(from: string, to: string): string {
  return to === "" || (parseDay(to) ?? 0) < (parseDay(from) ?? 0) ? from : to;
}
