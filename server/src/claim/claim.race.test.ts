// Tests many concurrent claims of one sensor: exactly one succeeds, and the others get nothing.
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { claim, enrollLabelled, makeClaimable } from "../testing/rights/claiming.ts";
import { rounds } from "@psp/contract/kit/rounds.testing.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";

const claimants = 16;
const claims = rounds(6, 40);
/** The clock advances by an hour after this many rounds. A lost claim counts as a wrong code, and an account may lose 20 an hour. */
const roundsPerHour = 15;
const clock = createStillClock();
let world: World;
let people: Person[];
beforeAll(async () => {
  world = await createWorld({ clock });
  people = await Promise.all(
    Array.from({ length: claimants }, (_, n) => world.account(`Claimant ${n}`, world.root, fullPermissions)),
  );
});
afterAll(() => world.stop());

const owners = async (id: string) => {
  const seen = await Promise.all(people.map((who) => world.call(who, "GET", `/api/sensor/${id}`)));
  return people.filter((_, n) => seen[n]?.status === 200);
};

test(
  `T-13 CL-04 sixteen concurrent claims of a sensor, ${claims} rounds: exactly one wins each`,
  { timeout: 300_000 },
  async () => {
    let owner = people[0] as Person;
    const label = await enrollLabelled(world, owner, false);
    for (let round = 0; round < claims; round += 1) {
      if (round % roundsPerHour === 0) clock.moveTo(clock.now() + 3_600_000);
      const claimingCode = await makeClaimable(world, owner, label.id);
      const replies = await Promise.all(people.map((who) => claim(world, who, [{ ...label, claimingCode }])));
      const winners = people.filter((_, n) => replies[n]?.status === 200);
      expect([winners.length, replies.filter(({ status }) => status === 404).length]).toEqual([1, claimants - 1]);
      expect(await owners(label.id)).toEqual(winners);
      owner = winners[0] as Person;
    }
  },
);

test(
  "T-13 concurrent claims of the same sensors in any order: one winner each, no failed call",
  { timeout: 300_000 },
  async () => {
    clock.moveTo(clock.now() + 3_600_000);
    const maker = people[0] as Person;
    const labels = await Promise.all(Array.from({ length: 12 }, () => enrollLabelled(world, maker)));
    const rest = people.slice(1, 7);
    const replies = await Promise.all(
      rest.map((who, n) => claim(world, who, n % 2 === 0 ? labels : labels.toReversed())),
    );
    expect(replies.filter(({ status }) => status !== 200 && status !== 404)).toEqual([]);
    for (const { id } of labels) {
      const won = rest.filter((_, n) =>
        Array.isArray(replies[n]?.body)
          ? replies[n].body.some((one: { id: string; status: string }) => one.id === id && one.status === "CLAIMED")
          : false,
      );
      expect(won).toHaveLength(1);
      expect(await owners(id)).toEqual(won);
    }
  },
);
