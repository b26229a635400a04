// Assigns loaded events to the locations that they apply to (docs/rules/events.md#locations-of-an-event).
import type { EventPlace, IncludingEvent, NamingEvent, PlacedEvent } from "./event.store.ts";

const byDay = (a: PlacedEvent, b: PlacedEvent) =>
  a.first - b.first || a.last - b.last || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0) || (a.id < b.id ? -1 : 1);

const toPlaced = ({ id, name, first, last, excludeFromComparison }: PlacedEvent): PlacedEvent => ({
  id,
  name,
  first,
  last,
  excludeFromComparison,
});

/** Locations with the same owner and tags, and without events that name them, share one list, because there may be very many. */
export function placeEvents(
  places: readonly EventPlace[],
  including: readonly IncludingEvent[],
  naming: readonly NamingEvent[],
): Map<string, readonly PlacedEvent[]> {
  const includingByOwner = Map.groupBy(including, ({ ownerId }) => ownerId);
  const namingByPlace = Map.groupBy(naming, ({ locationId }) => locationId);
  const shared = new Map<string, readonly PlacedEvent[]>();
  const result = new Map<string, readonly PlacedEvent[]>();
  for (const { id, ownerId, ancestorIds, tags } of places) {
    // Normalized tags contain no NUL.
    const key = `${ownerId}\0${tags}`;
    const common =
      shared.get(key) ??
      [ownerId, ...ancestorIds]
        .flatMap((owner) => includingByOwner.get(owner) ?? [])
        .filter(({ tag }) => tag === null || tags.includes(tag))
        .map(toPlaced)
        .toSorted(byDay);
    shared.set(key, common);
    const named = namingByPlace.get(id);
    const all = named ? [...common, ...named.map(toPlaced)].toSorted(byDay) : common;
    if (all.length > 0) result.set(id, all);
  }
  return result;
}
