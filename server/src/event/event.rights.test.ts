// Compares which locations an event applies to, who sees it and who may edit it with an independent oracle, on random account trees.
import { forestArbitrary } from "@psp/contract/permission/forest.testing.ts";
import { type AccountNode, mayDo } from "@psp/contract/permission/oracle.testing.ts";
import { rounds } from "@psp/contract/kit/rounds.testing.ts";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Context } from "../context.ts";
import type { Database } from "../db/database.ts";
import { openTestDatabase } from "../testing/test-database.ts";
import { objectIdsOf, plantForest } from "../testing/rights/account-forest.ts";
import { findEventsOfLocations } from "./event.service.ts";
import { eventConditions, findEventPage } from "./event.store.ts";

let db: Database;
let close: () => Promise<void>;
beforeAll(async () => void ({ db, close } = await openTestDatabase(3)));
afterAll(() => close());

type Place = { id: string; owner: AccountNode; tags: string[]; deleted: boolean };
type Named = { place: Place; ownerThen: AccountNode };
type PlannedEvent = {
  id: string;
  owner: AccountNode;
  first: number;
  last: number;
  deleted: boolean;
  scope: { named: Named[] } | { tag: string } | "owner";
};

const tags = ["Outlet", "outlét", "Out", "let", "STRASSE", "a%b", "a_b", "x\\y"];
const plain = (tag: string) => tag.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();

/** The account itself, or one above it. */
function isAtOrBelow(account: AccountNode, top: AccountNode): boolean {
  return account === top || (account.parent !== null && isAtOrBelow(account.parent, top));
}

function stays({ place, ownerThen }: Named, event: PlannedEvent): boolean {
  return !place.deleted && (place.owner === ownerThen || isAtOrBelow(place.owner, event.owner));
}

function appliesTo(event: PlannedEvent, place: Place): boolean {
  const { scope, owner } = event;
  if (event.deleted || owner.deleted || place.deleted) return false;
  if (scope !== "owner" && "named" in scope) return scope.named.some((one) => one.place === place && stays(one, event));
  if (!isAtOrBelow(place.owner, owner)) return false;
  return scope === "owner" || place.tags.some((tag) => plain(tag) === plain(scope.tag));
}

const sees = (asker: AccountNode, owner: AccountNode) => mayDo(asker, "view", "measurement", owner);
const edits = (asker: AccountNode, owner: AccountNode) => mayDo(asker, "edit", "measurement", owner);

function seesEvent(asker: AccountNode, event: PlannedEvent, places: readonly Place[]): boolean {
  if (event.deleted) return false;
  return sees(asker, event.owner) || places.some((one) => appliesTo(event, one) && sees(asker, one.owner));
}

function editsEvent(asker: AccountNode, event: PlannedEvent): boolean {
  if (edits(asker, event.owner)) return true;
  if (event.scope === "owner" || !("named" in event.scope)) return false;
  const left = event.scope.named.filter((one) => stays(one, event));
  return left.length > 0 && left.every(({ place }) => edits(asker, place.owner));
}

const idOf = (n: number) => `0190a000-0000-7000-8000-${String(n).padStart(12, "0")}`;
const day = 20_000;

function planArbitrary(accounts: readonly AccountNode[]): fc.Arbitrary<{ places: Place[]; events: PlannedEvent[] }> {
  const account = fc.constantFrom(...accounts);
  const rarely = fc.nat({ max: 7 }).map((n) => n === 0);
  const places = fc.tuple(
    ...accounts.map((owner, n) =>
      fc.record({
        id: fc.constant(objectIdsOf(n).location),
        owner: fc.constant(owner),
        tags: fc.subarray(tags, { maxLength: 2 }),
        deleted: rarely,
      }),
    ),
  );
  return places.chain((places) => {
    const named = fc.uniqueArray(
      fc
        .record({ place: fc.constantFrom(...places), other: account, moved: rarely })
        .map(({ place, other, moved }) => ({ place, ownerThen: moved ? other : place.owner })),
      { minLength: 1, maxLength: 4, selector: ({ place }) => place },
    );
    const scope = fc.oneof(
      named.map((named) => ({ named })),
      fc.constantFrom(...tags).map((tag) => ({ tag })),
      fc.constant("owner" as const),
    );
    const event = fc.record({
      owner: account,
      first: fc.integer({ min: day, max: day + 20 }),
      length: fc.nat({ max: 365 }),
      deleted: rarely,
      scope,
    });
    return fc.array(event, { minLength: 60, maxLength: 60 }).map((events) => ({
      places,
      events: events.map(({ length, ...one }, n) => ({ ...one, id: idOf(n), last: one.first + length })),
    }));
  });
}

async function store(places: readonly Place[], events: readonly PlannedEvent[], pathOf: ReadonlyMap<string, string>) {
  for (const { id, tags, deleted } of places)
    await db.updateTable("location").set({ tags, is_deleted: deleted }).where("id", "=", id).execute();
  for (const { id, owner, first, last, deleted, scope } of events) {
    const named = scope !== "owner" && "named" in scope ? scope.named : [];
    await db
      .insertInto("event")
      .values({
        id,
        owner_id: owner.id,
        owner_path: pathOf.get(owner.id) ?? "",
        name: `Sale ${id}`,
        first_day: first,
        last_day: last,
        scope_kind: scope === "owner" ? "owner" : "tag" in scope ? "tag" : "locations",
        tag: scope !== "owner" && "tag" in scope ? scope.tag : null,
        exclude_from_comparison: false,
        is_deleted: deleted,
      })
      .execute();
    for (const { place, ownerThen } of named)
      await db
        .insertInto("event_location")
        .values({ event_id: id, location_id: place.id, owner_id: ownerThen.id })
        .execute();
  }
}

test(
  "events apply to, and are seen and edited by exactly those of the oracle, for every account of random trees",
  { timeout: 300_000 },
  async () => {
    const tally = { seen: 0, unseen: 0, throughLocation: 0, editable: 0, editableByName: 0, applied: 0 };
    for (let seed = 1; seed <= rounds(2, 12); seed += 1) {
      const forests = forestArbitrary({ minAccounts: 40, maxAccounts: 70, maxRoles: 6 });
      const [forest] = fc.sample(forests, { seed, numRuns: 1 });
      if (!forest) throw new Error("no sample");
      const [plan] = fc.sample(planArbitrary(forest.accounts), { seed, numRuns: 1 });
      if (!plan) throw new Error("no sample");
      const { places, events } = plan;
      const planted = await plantForest(db, forest);
      await store(places, events, new Map(planted.map(({ node, caller }) => [node.id, caller.path])));
      for (const [n, { node, caller }] of planted.entries()) {
        const label = `asked by ${node.id}, seed ${seed}`;
        const rows = await findEventPage(db, caller, eventConditions(caller, {}), [], { skip: 0, limit: null });
        const visible = events.filter((event) => seesEvent(node, event, places));
        expect(rows.map(({ id }) => id).toSorted(), `sees, ${label}`).toEqual(visible.map(({ id }) => id).toSorted());
        const mayEdit = rows.flatMap(({ id, may_edit: may }) => (may ? [id] : [])).toSorted();
        const editable = visible.filter((event) => editsEvent(node, event));
        expect(mayEdit, `edits, ${label}`).toEqual(editable.map(({ id }) => id).toSorted());

        const asked = places[n % places.length];
        if (!asked) throw new Error("no place");
        const at = eventConditions(caller, { measID: [asked.id] });
        const listed = await findEventPage(db, caller, at, [], { skip: 0, limit: null });
        const here = events.filter((event) => appliesTo(event, asked) && sees(node, asked.owner));
        expect(listed.map(({ id }) => id).toSorted(), `at a location, ${label}`).toEqual(
          here.map(({ id }) => id).toSorted(),
        );

        const [first, last] = [day + 5, day + 5 + (n % 3)];
        const ids = places.map(({ id }) => id);
        const found = await findEventsOfLocations({ db } as Context, caller, ids, first, last);
        const expected = places.flatMap((one) => {
          if (one.deleted || !sees(node, one.owner)) return [];
          const list = events.filter((event) => appliesTo(event, one) && event.first <= last && event.last >= first);
          tally.applied += list.length;
          return list.length === 0 ? [] : [[one.id, list.map(({ id }) => id).toSorted()] as const];
        });
        const actual = [...found].map(([id, list]) => [id, list.map((event) => event.id).toSorted()] as const);
        expect(new Map(actual), `of locations, ${label}`).toEqual(new Map(expected));

        tally.seen += visible.length;
        tally.unseen += events.length - visible.length;
        tally.throughLocation += visible.filter(({ owner }) => !sees(node, owner)).length;
        tally.editable += editable.length;
        tally.editableByName += editable.filter(({ owner }) => !edits(node, owner)).length;
      }
    }
    for (const [what, count] of Object.entries(tally)) expect(count, what).toBeGreaterThan(5);
  },
);
