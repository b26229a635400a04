// Tests that colluding accounts gain no rights through role and account calls: random sequences of calls never lead beyond the rights
// that the accounts had together at the start (T-05).
import { forestArbitrary } from "@psp/contract/permission/forest.testing.ts";
import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createChance } from "../testing/chance.ts";
import { playEscalation } from "../testing/rights/escalation.ts";
import { usefulPermissions } from "../testing/rights/escalation-roles.ts";
import { rounds, seedOf } from "@psp/contract/kit/rounds.testing.ts";
import { createWorld, type World } from "../testing/world.ts";

let world: World;
beforeAll(async () => {
  world = await createWorld();
  // Generated trees use path labels from both ends of the range, so the sequence starts in between to avoid duplicates.
  await sql`select setval('account_label', 300000000)`.execute(world.ctx.db);
});
afterAll(() => world.stop());

// The short run plays the first sequence that detects a missing check of edited roles, which also detects one of assigned levels, and
// the first that detects one of moves.
const detecting = [22, 29];
const sequences = rounds(detecting.length, 400);
const numbers = sequences === detecting.length ? detecting : [...Array(sequences).keys()];
const steps = 60;

test(
  "RO-04 PE-01 T-05 colluding accounts never reach beyond their joint starting rights",
  { timeout: 300_000 + sequences * 10_000 },
  async () => {
    const forests = fc.sample(forestArbitrary({ minAccounts: 10, maxAccounts: 16, maxRoles: 6 }), {
      seed: seedOf(11),
      numRuns: Math.max(...numbers) + 1,
    });
    const sum = { calls: 0, accepted: 0, telling: 0 };
    for (const [index, forest] of forests.entries()) {
      if (!numbers.includes(index)) continue;
      const chance = createChance(index + 1);
      const ids = forest.roles.map(({ id }) => id);
      // In four of five trees the roles resemble those of real customers; fully random ones allow hardly any call.
      if (index % 5 > 0)
        for (const role of forest.roles) Object.assign(role, { permissions: usefulPermissions(ids, chance) });
      const played = await playEscalation(world, forest, chance, steps);
      expect(played.gains, `sequence ${index}`).toEqual([]);
      sum.calls += played.calls;
      sum.accepted += played.accepted;
      if (played.others > 0 && played.accepted > 0) sum.telling += 1;
    }
    // In more than half of the sequences, a call was accepted and another account could have been harmed.
    expect(sum.telling).toBeGreaterThan(sequences / 2);
    expect(sum.accepted).toBeGreaterThan(sequences);
    expect(sum.accepted).toBeLessThan(sum.calls);
  },
);
