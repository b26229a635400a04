// Tests that permission rules give the same result for an account's standing as for the account itself.
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type Actor,
  resolveAssignRoleScope,
  resolveAssignSensorScope,
  canUseFirmware,
  canViewFirmware,
  resolveChangeOwnerScopes,
  resolveCreateScope,
  resolveDeleteScope,
  resolveEditScope,
  resolveUseFirmwareScope,
  resolveViewScope,
} from "./can.ts";
import { asActor, asOwner, forestArbitrary } from "./forest.testing.ts";
import { ownableTypes } from "./permissions.ts";
import { contains } from "./scope.ts";
import { selectableOwnerSets, ownerChoiceKinds, ownerAsSeenBy } from "./standing.ts";
import { rounds, seedOf } from "../kit/rounds.testing.ts";

const everySet = (actor: Actor) => [
  ...([...ownableTypes, "owner"] as const).flatMap((type) => [
    resolveViewScope(actor, type),
    resolveEditScope(actor, type),
    resolveDeleteScope(actor, type),
  ]),
  ...ownableTypes.flatMap((type) => {
    const { from, to } = resolveChangeOwnerScopes(actor, type);
    return [resolveCreateScope(actor, type), from, to];
  }),
  resolveAssignRoleScope(actor),
  resolveAssignSensorScope(actor),
  resolveUseFirmwareScope(actor),
  ...ownerChoiceKinds.flatMap((choice) => selectableOwnerSets(actor, choice)),
];

test("PE-02 a set of an actor contains an account's standing if and only if it contains the account", () => {
  const seen = { yes: 0, no: 0, hiddenRoles: 0 };
  fc.assert(
    fc.property(forestArbitrary({ maxAccounts: 8 }), ({ accounts }) => {
      for (const asker of accounts) {
        const actor = asActor(asker);
        const sets = everySet(actor);
        for (const node of accounts) {
          const owner = asOwner(node);
          const standing = ownerAsSeenBy(actor, owner);
          for (const set of sets) {
            const held = contains(set, owner);
            expect(contains(set, standing)).toBe(held);
            if (held) seen.yes += 1;
            else seen.no += 1;
          }
          if (owner.roleId !== null && standing.roleId === null) seen.hiddenRoles += 1;
          for (const childrenCanViewObject of [true, false]) {
            const of = (one: typeof owner) => ({ owner: one, objPerm: { childrenCanViewObject } });
            expect(canViewFirmware(actor, of(standing))).toBe(canViewFirmware(actor, of(owner)));
            expect(canUseFirmware(actor, of(standing))).toBe(canUseFirmware(actor, of(owner)));
          }
        }
      }
    }),
    { seed: seedOf(5), numRuns: rounds(80, 300) },
  );
  expect(Math.min(seen.yes, seen.no, seen.hiddenRoles)).toBeGreaterThan(rounds(250, 1000));
});

test("PE-02 a standing reveals neither accounts above nor a role that no scope names", () => {
  const actor: Actor = {
    id: "me",
    parentAccounts: ["root", "above"],
    roleId: "r",
    permissions: { other: { canAssignRoles: { roles: ["named"] } } },
  };
  const below = { id: "x", parentAccounts: ["root", "above", "me", "hidden"], roleId: "secret" };
  expect(ownerAsSeenBy(actor, below)).toEqual({ id: "x", parentAccounts: ["me"], roleId: null });
  const beside = { id: "y", parentAccounts: ["root", "above", "hidden"], roleId: "named" };
  expect(ownerAsSeenBy(actor, beside)).toEqual({ id: "y", parentAccounts: [], roleId: "named" });
});
