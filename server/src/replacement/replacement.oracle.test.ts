// Replaces sensors at random instants around both clock changes and midnight, with late, early, repeated and corrected uploads, moves
// and undo. Compares the counts of locations with an independent model: no one is lost or counted twice.
import { rounds, seedOf } from "@psp/contract/kit/rounds.testing.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { expect, test } from "vitest";
import { createChance, pick } from "../testing/chance.ts";
import { findWrongSums } from "../testing/scenes/counted.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";
import { count, newLocation, newSensor, replace, undo } from "../testing/scenes/replacement-scene.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const zone = "Europe/Berlin";
const address = { address: null, coordinates: [52.5, 13.4], timezone: zone };

/** Where a sensor is from an instant on. The first assignment by a move also covers earlier counts, by a replacement it does not. */
type Stay = { at: number; place: string | null; isMove: boolean };
/** Records of a sensor never overlap, because each has its own grid. */
type Model = {
  id: string;
  num: number;
  lengthMs: number;
  shiftMs: number;
  stays: Stay[];
  records: Map<number, number>;
};

function placeOf({ stays }: Model, ms: number): string | null {
  const present = stays.findLast(({ at }) => at <= ms);
  if (present) return present.place;
  const [first] = stays;
  return first?.isMove ? first.place : null;
}

const presentPlace = ({ stays }: Model) => stays.at(-1)?.place ?? null;

function startOfDay(ms: number): number {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).startOfDay().epochMilliseconds;
}

/** People by start of the bucket. */
function expectedOf(models: readonly Model[], place: string | null, bucketOf: (ms: number) => number) {
  const found = new Map<number, number>();
  for (const model of models)
    for (const [start, people] of model.records)
      if (placeOf(model, start) === place) found.set(bucketOf(start), (found.get(bucketOf(start)) ?? 0) + people);
  return Object.fromEntries([...found].filter(([, people]) => people > 0).toSorted(([a], [b]) => a - b));
}

async function servedOf(world: World, who: Person, place: string, acc: "hour" | "day", [from, to]: readonly number[]) {
  const query = new URLSearchParams({ filter: `meas:${place}`, type: "counting", acc });
  query.set("from", new Date(from ?? 0).toISOString());
  query.set("to", new Date(to ?? 0).toISOString());
  const reply = await world.call(who, "GET", `/data/v2/aggregate/json?${query.toString()}`);
  expect(reply.status).toBe(200);
  const rows = reply.list.map(
    (row) => [Date.parse(String(row["startUTC"])), Number((row["data"] as { in: number | null }).in ?? 0)] as const,
  );
  return Object.fromEntries(rows.filter(([, people]) => people > 0));
}

async function createStory(edgeMs: number, seed: number) {
  const clock = createStillClock();
  clock.moveTo(edgeMs - 4 * hourMs);
  const world = await createWorld({ clock });
  const owner = await world.account("Harbour Stores", world.root, fullPermissions);
  const places = [
    await newLocation(world, owner, "Main entrance", { location: address }),
    await newLocation(world, owner, "Side entrance", { location: address }),
  ];
  const models: Model[] = [];
  for (const [lengthMs, shiftMs] of [
    [5 * minuteMs, 0],
    [5 * minuteMs, 150_000],
    [15 * minuteMs, 1],
    [hourMs, 0],
  ] as const) {
    const id = await newSensor(world, owner);
    const { num } = await world.ctx.db
      .selectFrom("sensor")
      .select("num")
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    models.push({ id, num, lengthMs, shiftMs, stays: [], records: new Map() });
  }
  return { world, owner, clock, places, models, luck: createChance(seedOf(seed)) };
}

type Story = Awaited<ReturnType<typeof createStory>>;

async function moveTo({ world, owner, clock }: Story, model: Model, place: string | null): Promise<void> {
  clock.moveTo(clock.now() + 1);
  const changed = await world.call(owner, "PUT", `/api/sensor/${model.id}`, { body: { measID: place } });
  expect(changed.status).toBe(200);
  if (place !== null || model.stays.length > 0) model.stays.push({ at: clock.now(), place, isMove: true });
}

/** Uploads a record of the last hours, or one that ends a few minutes from now; repeats or corrects it if it exists. */
async function upload(story: Story, model: Model): Promise<void> {
  const { clock, luck } = story;
  const behind = luck.below(3) === 0 ? luck.below(5 * hourMs) : luck.below(20 * minuteMs);
  const latest = clock.now() + 9 * minuteMs - model.lengthMs;
  const wanted = Math.min(latest, clock.now() + 4 * minuteMs - behind);
  const start = Math.floor((wanted - model.shiftMs) / model.lengthMs) * model.lengthMs + model.shiftMs;
  const known = model.records.get(start);
  await put(story, model, start, known !== undefined && luck.below(2) === 0 ? known : 1 + luck.below(40));
}

async function put({ world }: Story, model: Model, start: number, people: number): Promise<void> {
  await count(world, model.id, start, start + model.lengthMs, people);
  model.records.set(start, people);
}

/** Uploads the first interval that begins at or after `ms`, unless it ends too far in the future. */
async function uploadNext(story: Story, model: Model, ms: number): Promise<void> {
  const start = Math.ceil((ms - model.shiftMs) / model.lengthMs) * model.lengthMs + model.shiftMs;
  if (start + model.lengthMs < story.clock.now() + 10 * minuteMs)
    await put(story, model, start, 1 + story.luck.below(40));
}

type Done = { replacement: unknown; old: Model; next: Model; stays: [Stay[], Stay[]] };

async function replaceOne({ world, owner, clock }: Story, old: Model, next: Model): Promise<Done> {
  const stays: Done["stays"] = [[...old.stays], [...next.stays]];
  const reply = await replace(world, owner, old.id, { sensorID: next.id, accept: ["replacedBefore"] });
  expect([reply.status, reply.code]).toEqual([200, undefined]);
  next.stays.push({ at: clock.now(), place: presentPlace(old), isMove: false });
  old.stays.push({ at: clock.now(), place: null, isMove: false });
  return { replacement: reply.at("replacement"), old, next, stays };
}

async function undoOne({ world, owner }: Story, { replacement, old, next, stays }: Done): Promise<void> {
  expect((await undo(world, owner, old.id, replacement)).status).toBe(200);
  [old.stays, next.stays] = stays;
}

async function compare({ world, owner, places, models, clock }: Story, edgeMs: number): Promise<void> {
  const range = [edgeMs - 48 * hourMs, clock.now() + 48 * hourMs];
  for (const place of places) {
    const hours = (ms: number) => Math.floor(ms / hourMs) * hourMs;
    expect(await servedOf(world, owner, place, "hour", range)).toEqual(expectedOf(models, place, hours));
    expect(await servedOf(world, owner, place, "day", range)).toEqual(expectedOf(models, place, startOfDay));
  }
  expect(
    await findWrongSums(
      world.ctx.db,
      models.map(({ num }) => num),
    ),
  ).toEqual([]);
}

/** People at the first place. */
async function peopleAt({ world, owner, places }: Story, ms: number): Promise<number> {
  const served = await servedOf(world, owner, places[0] ?? "", "day", [ms - 48 * hourMs, ms + 48 * hourMs]);
  return Object.values(served).reduce((sum, people) => sum + people, 0);
}

const edges = [
  ["the clock change in spring", Date.parse("2027-03-28T01:00:00Z")],
  ["the clock change in autumn", Date.parse("2027-10-31T01:00:00Z")],
  ["midnight", Date.parse("2027-06-30T22:00:00Z")],
] as const;

test.each(edges)(
  "random replacements, undo and uploads around %s lose no one and count no one twice",
  { timeout: rounds(120_000, 3_600_000) },
  async (_, edgeMs) => {
    const story = await createStory(edgeMs, 20_270_328);
    const { clock, luck, models, places } = story;
    const [first] = models;
    if (!first) throw new Error("No sensor");
    await upload(story, first);
    await moveTo(story, first, places[0] ?? null);
    let last: Done | null = null;
    for (let n = 0; n < rounds(24, 1500); n += 1) {
      const steps = [
        0,
        1,
        luck.below(20_000),
        luck.below(15 * minuteMs),
        5 * minuteMs - (clock.now() % (5 * minuteMs)),
      ];
      const step = pick([...steps, hourMs - (clock.now() % hourMs), Math.max(0, edgeMs - clock.now())], luck);
      clock.moveTo(clock.now() + (luck.below(3) === 0 ? step : Math.min(step, 2 * minuteMs)));
      const doing = luck.below(10);
      const placed = models.filter((model) => presentPlace(model) !== null);
      const spares = models.filter((model) => presentPlace(model) === null);
      if (doing < 5) await upload(story, pick(models, luck));
      else if (doing < 8 && placed.length > 0 && spares.length > 0) {
        last = await replaceOne(story, pick(placed, luck), pick(spares, luck));
        if (luck.below(2) === 0) {
          const atMs = clock.now();
          for (let uploads = luck.below(4); uploads > 0; uploads -= 1) await upload(story, pick(models, luck));
          clock.moveTo(clock.now() + luck.below(10_000));
          for (const model of [last.old, last.next]) await uploadNext(story, model, atMs);
          await undoOne(story, last);
        }
      } else await moveTo(story, pick(models, luck), pick([...places, null], luck));
      if (n % 6 === 0) await compare(story, edgeMs);
    }
    await compare(story, edgeMs);
    expect(last).not.toBeNull();
    await story.world.stop();
  },
);

const quarter = 15 * minuteMs;
test.each([
  ["in the middle of an interval", Date.parse("2027-06-30T10:07:00Z")],
  ["at the boundary of an interval", Date.parse("2027-06-30T10:15:00Z")],
  ["at a full hour", Date.parse("2027-06-30T10:00:00Z")],
  ["at midnight", Date.parse("2027-06-30T22:00:00Z")],
  ["at the clock change in spring", Date.parse("2027-03-28T01:00:00Z")],
  ["in the repeated hour in autumn", Date.parse("2027-10-31T00:30:00Z")],
  ["at the clock change in autumn", Date.parse("2027-10-31T01:00:00Z")],
] as const)("a replacement %s: intervals belong to the sensor that was there at their start", async (_, atMs) => {
  const story = await createStory(atMs, 1);
  const { world, clock, models, places } = story;
  const [, , old, next] = models;
  if (!old || !next) throw new Error("No sensor");
  [old.shiftMs, next.shiftMs, next.lengthMs] = [0, 0, quarter];
  await moveTo(story, old, places[0] ?? null);
  const straddling = Math.floor((atMs - 1) / quarter) * quarter;
  clock.moveTo(atMs - 60_000);
  // The new sensor hangs beside the old one and counts the same people before the instant.
  await put(story, next, straddling - quarter, 7);
  await put(story, old, straddling - quarter, 7);
  clock.moveTo(atMs);
  const done = await replaceOne(story, old, next);
  clock.moveTo(atMs + quarter);
  // Late uploads of intervals that began before the instant, at it, and after it.
  for (const start of [straddling, straddling + quarter]) {
    await put(story, old, start, 11);
    await put(story, next, start, 13);
  }
  await compare(story, atMs);
  expect(await peopleAt(story, atMs)).toBe(7 + 11 + 13);
  expect(done.replacement).toEqual(expect.any(String));
  await world.stop();
});

test.each(edges)("undo %s: counts made in between belong to the old sensor's location again", async (_, edgeMs) => {
  const story = await createStory(edgeMs, 1);
  const { world, owner, clock, models, places } = story;
  const [old, next] = models;
  if (!old || !next) throw new Error("No sensor");
  next.shiftMs = 0;
  await moveTo(story, old, places[0] ?? null);
  clock.moveTo(edgeMs);
  await put(story, old, edgeMs - 5 * minuteMs, 3);
  const done = await replaceOne(story, old, next);
  clock.moveTo(edgeMs + 9_999);
  await put(story, old, edgeMs, 5);
  await put(story, next, edgeMs, 8);
  expect(await peopleAt(story, edgeMs)).toBe(3 + 8);
  await undoOne(story, done);
  expect(await peopleAt(story, edgeMs)).toBe(3 + 5);
  await compare(story, edgeMs);
  // The new sensor was never at a location, so its first one still gets its earlier counts.
  expect((await world.call(owner, "PUT", `/api/sensor/${next.id}`, { body: { measID: places[0] } })).status).toBe(200);
  expect(await peopleAt(story, edgeMs)).toBe(3 + 5 + 8);
  await world.stop();
});
