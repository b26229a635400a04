// Checks that SQL, memory and the oracle select the same firmware for each account (docs/rules/firmware.md#rights-of-use).
import { rounds } from "@psp/contract/kit/rounds.testing.ts";
import { canUseFirmware, canViewFirmware } from "@psp/contract/permission/can.ts";
import { asOwner, forestArbitrary } from "@psp/contract/permission/forest.testing.ts";
import { maySeeFirmware, mayUseFirmware } from "@psp/contract/permission/oracle.testing.ts";
import fc from "fast-check";
import { type Expression, type SqlBool, sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../db/database.ts";
import { plantForest, objectIdsOf } from "../testing/rights/account-forest.ts";
import { openTestDatabase } from "../testing/test-database.ts";
import { whereFirmwareUsable, whereFirmwareVisible } from "./firmware.rights.ts";

let db: Database;
let close: () => Promise<void>;
beforeAll(async () => void ({ db, close } = await openTestDatabase(2)));
afterAll(() => close());

async function selected(where: Expression<SqlBool>): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select f.id from firmware f where ${where}`.execute(db);
  return rows.map((row) => row.id).toSorted();
}

test(
  "FW-04 the same firmware is visible and usable in SQL, in memory and to the oracle",
  { timeout: 300_000 },
  async () => {
    const only = { inherited: 0, hidden: 0 };
    const forests = fc.sample(forestArbitrary({ minAccounts: 50, maxAccounts: 100, maxRoles: 6 }), {
      seed: 4,
      numRuns: rounds(2, 5),
    });
    for (const forest of forests) {
      const packages = forest.accounts.flatMap((owner, n) => [
        { id: objectIdsOf(n).firmware, owner, childrenCanView: false },
        { id: objectIdsOf(n).firmwareForChildren, owner, childrenCanView: true },
      ]);
      for (const { node, caller } of await plantForest(db, forest)) {
        const pick = (allowed: (one: (typeof packages)[number]) => boolean) =>
          packages.flatMap((one) => (allowed(one) ? [one.id] : [])).toSorted();
        const rights = (one: (typeof packages)[number]) => ({
          owner: asOwner(one.owner),
          objPerm: { childrenCanViewObject: one.childrenCanView },
        });
        const seen = pick((one) => maySeeFirmware(node, one));
        const used = pick((one) => mayUseFirmware(node, one));
        expect(pick((one) => canViewFirmware(caller, rights(one)))).toEqual(seen);
        expect(pick((one) => canUseFirmware(caller, rights(one)))).toEqual(used);
        expect(await selected(whereFirmwareVisible(caller, "f")), `seen by ${node.id}`).toEqual(seen);
        expect(await selected(whereFirmwareUsable(caller, "f")), `used by ${node.id}`).toEqual(used);
        const closed = pick((one) => maySeeFirmware(node, { ...one, childrenCanView: false }));
        only.inherited += seen.length - closed.length;
        only.hidden += packages.length - seen.length;
      }
    }
    // Checks that the sample contained much inherited and much hidden firmware.
    expect(only.inherited).toBeGreaterThan(rounds(200, 500));
    expect(only.hidden).toBeGreaterThan(rounds(4_000, 10_000));
  },
);
