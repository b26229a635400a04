// Presses every button that the console offers or disables by rights: offered ones are not refused, others are; for accounts with different
// roles in one tree, partly invisible.
import type { AccountNode } from "@psp/contract/permission/oracle.testing.ts";
import { allowedActions } from "@psp/contract/permission/allowed-actions.ts";
import { contains, type Owner } from "@psp/contract/permission/scope.ts";
import { changeOwnerSets } from "@psp/contract/permission/can.ts";
import {
  ownerChoiceForNew,
  ownerChoiceForTransfer,
  createdTypes,
  type OwnerChoiceKind,
} from "@psp/contract/permission/standing.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { uuidv7 } from "../kit/uuid.ts";
import { type Drive, drivesOf } from "../testing/rights/offers-drives.ts";
import { familyOf, viewFor, type Seen, turns } from "../testing/rights/offers-place.ts";
import { codeOf, type Place, setUpPlace, undo } from "../testing/rights/rights-place.ts";
import { everyNth, rounds } from "@psp/contract/kit/rounds.testing.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { createWorld, type Reply, type World } from "../testing/world.ts";

let world: World;
beforeAll(async () => void (world = await createWorld({ clock: createStillClock() })));
afterAll(() => world.stop());

async function press(place: Place, asker: AccountNode, drive: Drive): Promise<Reply> {
  const who = place.as(asker);
  if (drive.upload) return world.upload(who, { ...drive.upload, type: "APS" }, Buffer.from("firmware"));
  if (drive.offer === "adopt") await signUp(place.forest.accounts[drive.n] as AccountNode);
  return world.call(who, drive.method, drive.path, drive.body ? { body: drive.body } : {});
}

async function signUp({ id }: AccountNode): Promise<void> {
  const email = `waiting-${id}@example.com`;
  await sql`insert into credential (id, account_id, email, step) values (${uuidv7(Date.now())}, ${id}, ${email}, -1)
    on conflict do nothing`.execute(world.ctx.db);
}

async function putBack(place: Place, drive: Drive, reply: Reply): Promise<void> {
  if (drive.method === "GET") return;
  const { db } = world.ctx;
  const one = { question: drive.offer, method: drive.method, path: drive.path, code: 0 };
  await undo(world, place, one, reply, drive.n);
  if (drive.offer === "grant")
    await db.updateTable("role").set({ permissions: "{}" }).where("name", "not like", "held %").execute();
}

const summaryOf = (asker: AccountNode, drive: Drive, reply: Reply) =>
  `${drive.offer} ${drive.offered ? "is" : "is not"} offered to ${asker.id} with ${asker.role?.id}: ${drive.method} ${drive.path} ${JSON.stringify(drive.body ?? drive.upload)} → ${reply.status} ${JSON.stringify(reply.body).slice(0, 200)}`;

const pressed = new Map<string, { yes: number; no: number }>();
let ownersUnseen = 0;
let rolesUnseen = 0;

for (let turn = 0; turn < turns; turn += 1)
  test(
    `PE-02 PE-04 SE-13 AC-03 RO-03 offered buttons work, others are refused: tree ${turn}`,
    { timeout: rounds(300_000, 1_200_000), tags: turn === 0 ? [] : "prove" },
    async () => {
      const { forest, askers } = familyOf(turn);
      const place = await setUpPlace(world, forest);
      const waiting = forest.accounts[6] as AccountNode;
      for (const asker of askers) {
        const seen = await viewFor(world, place, asker);
        for (const drive of everyNth(9, drivesOf(forest, seen, waiting))) {
          const reply = await press(place, asker, drive);
          const code = codeOf(reply);
          if (drive.before?.includes(code)) continue;
          const allowed = code === 0 || drive.beyond?.includes(code) === true;
          expect(allowed, summaryOf(asker, drive, reply)).toBe(drive.offered);
          if (!allowed) expect(drive.refusals, summaryOf(asker, drive, reply)).toContain(code);
          if (code === 0) await putBack(place, drive, reply);
          const count = pressed.get(drive.offer) ?? { yes: 0, no: 0 };
          pressed.set(drive.offer, count);
          count[allowed ? "yes" : "no"] += 1;
          const owner = forest.accounts[drive.n] as AccountNode;
          if (drive.offer === "edit" && allowed && !seen.accounts.has(owner.id)) ownersUnseen += 1;
          const roleShown = seen.roles.some(({ _id }) => _id === owner.role?.id);
          if (drive.offer === "giveRole" && allowed && !roleShown) rolesUnseen += 1;
        }
      }
    },
  );

test("PE-02 every kind of button was both offered and not", { timeout: 300_000, tags: "prove" }, () => {
  const kinds = Object.keys(allowedActions({ id: "", parentAccounts: [], roleId: null, permissions: null }));
  expect([...pressed.keys()].toSorted()).toEqual(kinds.toSorted());
  for (const [offer, { yes, no }] of pressed) {
    expect(yes, `never offered: ${offer}`).toBeGreaterThan(0);
    expect(no, `never refused: ${offer}`).toBeGreaterThan(0);
  }
  expect(ownersUnseen, "edits of what hidden accounts own").toBeGreaterThan(10);
  expect(rolesUnseen, "roles given to holders of hidden ones").toBeGreaterThan(0);
});

async function chosenFor(place: Place, asker: AccountNode, choice: OwnerChoiceKind, more = ""): Promise<Set<string>> {
  const { list } = await world.call(place.as(asker), "GET", `/api/account?limit=500&choice=${choice}${more}`);
  return new Set(list.map((one) => String(one["_id"])));
}

const idsOf = (seen: Seen, is: (owner: Owner) => boolean) =>
  new Set(seen.accounts.entries().flatMap(([id, owner]) => (is(owner) ? [id] : [])));

test(
  "PE-02 PE-03 selectable accounts are those for which the choice is permitted",
  { timeout: rounds(300_000, 1_200_000) },
  async () => {
    let chosen = 0;
    for (const turn of everyNth(4, Array(turns).keys().toArray())) {
      const { forest, askers } = familyOf(turn);
      const place = await setUpPlace(world, forest);
      for (const asker of askers) {
        const seen = await viewFor(world, place, asker);
        const creation = (await world.call(place.as(asker), "GET", "/api/rights/creation")).body;
        for (const type of createdTypes) {
          const expected = idsOf(seen, (owner) => seen.offers.createFor(type, owner));
          expect(await chosenFor(place, asker, ownerChoiceForNew(type))).toEqual(expected);
          expect(creation).toMatchObject({ [type]: expected.size > 0 });
          chosen += expected.size;
          const from = forest.accounts
            .map(({ id }) => seen.standings.get(id)?.owner as Owner)
            .find((owner) => contains(changeOwnerSets(seen.actor, type).from, owner));
          if (from === undefined) continue;
          const kept = forest.accounts[1]?.id ?? "";
          const receivers = idsOf(seen, (to) => seen.offers.changeOwner(type, from, to));
          expect(await chosenFor(place, asker, ownerChoiceForTransfer(type))).toEqual(receivers);
          const keeping = seen.accounts.has(kept) ? receivers.union(new Set([kept])) : receivers;
          expect(await chosenFor(place, asker, ownerChoiceForTransfer(type), `&keep=${kept}`)).toEqual(keeping);
          if (type !== "sensor") continue;
          const holders = idsOf(seen, (to) => seen.offers.handOverSensor(from, to));
          expect(await chosenFor(place, asker, "receiveSensor")).toEqual(holders);
        }
        expect(await chosenFor(place, asker, "adopt")).toEqual(idsOf(seen, (owner) => seen.offers.adopt(owner)));
      }
    }
    expect(chosen).toBeGreaterThan(100);
  },
);
