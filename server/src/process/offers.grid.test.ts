// Tries every action that the console offers or disables by rights: offered actions succeed, and disabled ones are refused. The
// accounts have different roles in one tree and can't see all of it.
import type { AccountNode } from "@psp/contract/permission/oracle.testing.ts";
import { allowedActions } from "@psp/contract/permission/allowed-actions.ts";
import { contains, type Owner } from "@psp/contract/permission/scope.ts";
import { resolveChangeOwnerScopes } from "@psp/contract/permission/can.ts";
import {
  ownerChoiceForNew,
  ownerChoiceForTransfer,
  creatableTypes,
  type OwnerChoiceKind,
} from "@psp/contract/permission/standing.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { uuidv7 } from "../kit/uuid.ts";
import { forEachAtOnce } from "../testing/at-once.ts";
import { type OfferCase, offerCasesOf } from "../testing/rights/offers-drives.ts";
import { familyOf, loadView, type LoadedView, rotationCount } from "../testing/rights/offers-place.ts";
import { codeOf, type Place, setUpPlace, undoWrite } from "../testing/rights/rights-place.ts";
import { everyNth, rounds } from "@psp/contract/kit/rounds.testing.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { createWorld, type Reply, type World } from "../testing/world.ts";

let world: World;
beforeAll(async () => void (world = await createWorld({ clock: createStillClock() })));
afterAll(() => world.stop());

async function press(place: Place, asker: AccountNode, offerCase: OfferCase): Promise<Reply> {
  const who = place.as(asker);
  if (offerCase.upload) return world.upload(who, { ...offerCase.upload, type: "APS" }, Buffer.from("firmware"));
  if (offerCase.offer === "adopt") await signUp(place.forest.accounts[offerCase.n] as AccountNode);
  return world.call(who, offerCase.method, offerCase.path, offerCase.body ? { body: offerCase.body } : {});
}

async function signUp({ id }: AccountNode): Promise<void> {
  const email = `waiting-${id}@example.com`;
  await sql`insert into credential (id, account_id, email, step) values (${uuidv7(Date.now())}, ${id}, ${email}, -1)
    on conflict do nothing`.execute(world.ctx.db);
}

async function putBack(place: Place, offerCase: OfferCase, reply: Reply): Promise<void> {
  if (offerCase.method === "GET") return;
  const { db } = world.ctx;
  const one = { question: offerCase.offer, method: offerCase.method, path: offerCase.path, code: 0 };
  await undoWrite(world, place, one, reply, offerCase.n);
  if (offerCase.offer === "grant")
    await db.updateTable("role").set({ permissions: "{}" }).where("name", "not like", "held %").execute();
}

const summaryOf = (asker: AccountNode, offerCase: OfferCase, reply: Reply) =>
  `${offerCase.offer} ${offerCase.offered ? "is" : "is not"} offered to ${asker.id} with ${asker.role?.id}: ${offerCase.method} ${offerCase.path} ${JSON.stringify(offerCase.body ?? offerCase.upload)} → ${reply.status} ${JSON.stringify(reply.body).slice(0, 200)}`;

const pressed = new Map<string, { yes: number; no: number }>();
let ownersUnseen = 0;
let rolesUnseen = 0;

for (let turn = 0; turn < rotationCount; turn += 1)
  test(
    `PE-02 PE-04 SE-13 AC-03 RO-03 offered buttons work, others are refused: tree ${turn}`,
    { timeout: rounds(300_000, 1_200_000), tags: turn === 0 ? [] : "prove" },
    async () => {
      const { forest, askers } = familyOf(turn);
      const place = await setUpPlace(world, forest);
      const waiting = forest.accounts[6] as AccountNode;
      for (const asker of askers) {
        const seen = await loadView(world, place, asker);
        const check = async (offerCase: OfferCase) => {
          const reply = await press(place, asker, offerCase);
          const code = codeOf(reply);
          if (offerCase.before?.includes(code)) return;
          const allowed = code === 0 || offerCase.beyond?.includes(code) === true;
          expect(allowed, summaryOf(asker, offerCase, reply)).toBe(offerCase.offered);
          if (!allowed) expect(offerCase.refusals, summaryOf(asker, offerCase, reply)).toContain(code);
          if (code === 0) await putBack(place, offerCase, reply);
          const count = pressed.get(offerCase.offer) ?? { yes: 0, no: 0 };
          pressed.set(offerCase.offer, count);
          count[allowed ? "yes" : "no"] += 1;
          const owner = forest.accounts[offerCase.n] as AccountNode;
          if (offerCase.offer === "edit" && allowed && !seen.accounts.has(owner.id)) ownersUnseen += 1;
          const roleShown = seen.roles.some(({ _id }) => _id === owner.role?.id);
          if (offerCase.offer === "giveRole" && allowed && !roleShown) rolesUnseen += 1;
        };
        const cases = everyNth(9, offerCasesOf(forest, seen, waiting));
        // Refused calls change nothing, except that adoption is preceded by a registration.
        const isAlone = ({ offered, offer }: OfferCase) => offered || offer === "adopt";
        await forEachAtOnce(
          cases.filter((one) => !isAlone(one)),
          check,
        );
        for (const one of cases.filter(isAlone)) await check(one);
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

const idsOf = (seen: LoadedView, is: (owner: Owner) => boolean) =>
  new Set(seen.accounts.entries().flatMap(([id, owner]) => (is(owner) ? [id] : [])));

test(
  "PE-02 PE-03 selectable accounts are those for which the choice is permitted",
  { timeout: rounds(300_000, 1_200_000) },
  async () => {
    let chosen = 0;
    for (const turn of everyNth(4, Array(rotationCount).keys().toArray())) {
      const { forest, askers } = familyOf(turn);
      const place = await setUpPlace(world, forest);
      for (const asker of askers) {
        const seen = await loadView(world, place, asker);
        const creation = (await world.call(place.as(asker), "GET", "/api/rights/creation")).body;
        for (const type of creatableTypes) {
          const expected = idsOf(seen, (owner) => seen.offers.createFor(type, owner));
          expect(await chosenFor(place, asker, ownerChoiceForNew(type))).toEqual(expected);
          expect(creation).toMatchObject({ [type]: expected.size > 0 });
          chosen += expected.size;
          const from = forest.accounts
            .map(({ id }) => seen.standings.get(id)?.owner as Owner)
            .find((owner) => contains(resolveChangeOwnerScopes(seen.actor, type).from, owner));
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
