// Seeds the demo's events: a sale of all shops, roadworks at one of them, and evenings at flagship shops.
import type { Context } from "../context.ts";
import type { Tx } from "../db/database.ts";
import { uuidv7 } from "../kit/uuid.ts";
import type { SeededAccount } from "./account.seed.ts";

const dayMs = 86_400_000;

type SeededEvent = { name: string; start: number; days: number; tag?: string; isNamed?: true; isExcluded?: true };

/** `start` is the number of days from today. */
const seededEvents: readonly SeededEvent[] = [
  { name: "Autumn sale", start: -24, days: 6 },
  { name: "Roadworks at the entrance", start: -13, days: 5, isNamed: true, isExcluded: true },
  { name: "Late-night shopping", start: -6, days: 1, tag: "flagship", isExcluded: true },
  { name: "Harbour festival", start: 9, days: 3, tag: "flagship", isExcluded: true },
];

export async function seedEvents(ctx: Context, tx: Tx, owner: SeededAccount): Promise<void> {
  const place = await tx
    .selectFrom("location")
    .select("id")
    .where("owner_id", "=", owner.id)
    .orderBy("id")
    .executeTakeFirst();
  const today = Math.floor(ctx.clock.now() / dayMs);
  for (const { name, start, days, tag, isNamed, isExcluded } of seededEvents) {
    if (isNamed && !place) continue;
    const id = uuidv7(ctx.clock.now());
    await tx
      .insertInto("event")
      .values({
        id,
        owner_id: owner.id,
        owner_path: owner.path,
        name,
        first_day: today + start,
        last_day: today + start + days - 1,
        scope_kind: isNamed ? "locations" : tag === undefined ? "owner" : "tag",
        location_ids: isNamed && place ? [place.id] : [],
        tag: tag ?? null,
        exclude_from_comparison: isExcluded ?? false,
      })
      .execute();
    if (isNamed && place)
      await tx
        .insertInto("event_location")
        .values({ event_id: id, location_id: place.id, owner_id: owner.id })
        .execute();
  }
}
