// Many claim one sensor at the same time, round after round: exactly one gets it, and the others nothing of it (R4b).
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { claim, labelled, opened } from "../testing/rights/claiming.ts";
import { rounds } from "@psp/contract/kit/rounds.testing.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";

const claimants = 16;
const claims = rounds(15, 40);
/** Losing is a wrong code: before the twentieth the clock moves on by the hour. */
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
  `T-13 CL-04 sixteen claim one sensor at once, ${claims} rounds: exactly one wins each, no one else sees it`,
  { timeout: 300_000 },
  async () => {
    let owner = people[0] as Person;
    const label = await labelled(world, owner, false);
    for (let round = 0; round < claims; round += 1) {
      if (round % roundsPerHour === 0) clock.moveTo(clock.now() + 3_600_000);
      const claimingCode = await opened(world, owner, label.id);
      const replies = await Promise.all(people.map((who) => claim(world, who, [{ ...label, claimingCode }])));
      const winners = people.filter((_, n) => replies[n]?.status === 200);
      expect([winners.length, replies.filter(({ status }) => status === 404).length]).toEqual([1, claimants - 1]);
      expect(await owners(label.id)).toEqual(winners);
      owner = winners[0] as Person;
    }
  },
);

test(
  "T-13 boxes of the same sensors in any order, claimed at once: every sensor has one winner and no call fails",
  { timeout: 300_000 },
  async () => {
    clock.moveTo(clock.now() + 3_600_000);
    const maker = people[0] as Person;
    const labels = await Promise.all(Array.from({ length: 12 }, () => labelled(world, maker)));
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
