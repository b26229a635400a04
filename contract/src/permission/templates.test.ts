// Tests that invitations and templates never give more than the inviter has (T-05).
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Actor, findExceedingScope } from "./can.ts";
import { asActor, asOwner, forestArbitrary } from "./forest.testing.ts";
import type { AccountNode } from "./oracle.testing.ts";
import { fullPermissions, listScopes, type Permissions } from "./permissions.ts";
import { asHolder, findExceedingReach } from "./reach.ts";
import { accessLevels, findMissingRight, limitForColleague, type SeenAccount } from "./templates.ts";
import { findInvitationDenial, futureChildOf } from "./why-not.ts";

const everywhere = { me: true, myChildren: true };
const actorWith = (permissions: Permissions | null): Actor => ({
  id: "self",
  parentAccounts: ["root", "dealer"],
  roleId: "own",
  permissions,
});

test("T-05 whatever the inviter's role, a colleague's role may be created and given, and reaches no more", () => {
  const tried = { own: 0, below: 0 };
  fc.assert(
    fc.property(forestArbitrary({ maxAccounts: 8 }), ({ accounts }) => {
      const roleOf = new Map(accounts.map(({ id, ...one }) => [id, asOwner({ id, ...one }).roleId]));
      const parentsOf = (inviter: AccountNode): [SeenAccount, AccountNode][] => [
        ["own", inviter],
        ...accounts
          .filter((one) => asOwner(one).parentAccounts.includes(inviter.id))
          .map((one): [SeenAccount, AccountNode] => ["below", one]),
      ];
      for (const inviter of accounts)
        for (const [seen, parent] of parentsOf(inviter))
          for (const level of accessLevels) {
            const actor = asActor(inviter);
            const { permissions } = limitForColleague(actor, level, seen);
            const child = futureChildOf(asHolder(asOwner(parent), roleOf), "new");
            expect(findExceedingScope(actor, permissions)).toBeNull();
            expect(findExceedingReach(actor, permissions, child)).toBeNull();
            if (findMissingRight(actor, level, seen) === null) tried[seen] += 1;
          }
    }),
    { seed: 11, numRuns: 150 },
  );
  expect(Math.min(tried.own, tried.below)).toBeGreaterThan(20);
});

test("an inviter's ancestor level is passed on plus one; rights over the account above are not", () => {
  const actor = actorWith({
    ...fullPermissions,
    ownable: {
      sensor: { canViewObject: { ...everywhere, relativeAncestorLevel: 1 }, canEditObject: everywhere },
      measurement: { canViewObject: { myChildren: true, relativeAncestorLevel: 1 } },
      role: { canViewObject: everywhere, canEditObject: everywhere },
      artifact: { canViewObject: { ...everywhere, relativeAncestorLevel: 100 } },
    },
  });
  const scopesFor = (seen: SeenAccount) =>
    Object.fromEntries(
      listScopes(limitForColleague(actor, "manager", seen).permissions).map((one) => [one.key, one.scope]),
    );
  expect(scopesFor("own")).toMatchObject({
    "ownable.sensor.canViewObject": { ...everywhere, relativeAncestorLevel: 2 },
    "ownable.sensor.canEditObject": { ...everywhere, relativeAncestorLevel: 1 },
    "ownable.artifact.canViewObject": { ...everywhere, relativeAncestorLevel: 100 },
    "ownable.role.canViewObject": { ...everywhere, relativeAncestorLevel: 1 },
    "ownable.role.canEditObject": everywhere,
    "other.canAssignRoles": everywhere,
    "owner.canEditOwner": everywhere,
    "owner.canDeleteOwner": everywhere,
  });
  expect(scopesFor("own")["ownable.measurement.canViewObject"]).toBeUndefined();
  expect(scopesFor("below")).toMatchObject({
    "ownable.sensor.canViewObject": { ...everywhere, relativeAncestorLevel: 1 },
    "ownable.artifact.canViewObject": { ...everywhere, relativeAncestorLevel: 1 },
  });
});

test("a level can be given if something that it adds is left", () => {
  const missing = (permissions: Permissions | null) =>
    accessLevels.map((level) => findMissingRight(actorWith(permissions), level, "own"));
  expect(missing(fullPermissions)).toEqual([null, null, null, null]);
  const views: Permissions = { ownable: { sensor: { canViewObject: everywhere } } };
  expect(missing(views)).toEqual([
    null,
    "ownable.measurement.canEditObject",
    "other.canAssignSensors",
    "other.canAssignRoles",
  ]);
  expect(missing({ ...views, owner: { canCreateOwner: true } }).at(-1)).toBeNull();
  const nothingToSee = accessLevels.map(() => "ownable.artifact.canViewObject");
  expect(missing(null)).toEqual(nothingToSee);
  expect(missing({ owner: { canCreateOwner: true, canViewOwner: everywhere } })).toEqual(nothingToSee);
  // A scope without one of the two parts can't reach the colleague or the account above.
  for (const half of [{ me: true }, { myChildren: true }])
    expect(missing({ ownable: { sensor: { canViewObject: half } } })).toEqual(nothingToSee);
});

test("inviting requires the rights to create accounts, to create, view and give roles, and a level to give", () => {
  const { owner, ownable, other } = fullPermissions;
  const cases: [Permissions | null, number | undefined][] = [
    [fullPermissions, undefined],
    [null, 303],
    [{ ...fullPermissions, owner: { ...owner, canCreateOwner: false } }, 303],
    [{ ...fullPermissions, ownable: { ...ownable, role: { canViewObject: everywhere } } }, 303],
    [{ ...fullPermissions, ownable: { ...ownable, role: { canCreateObjectFor: { me: true } } } }, 107],
    [{ ...fullPermissions, other: { ...other, canAssignRoles: { me: true } } }, 300],
    [{ owner, other, ownable: { role: { canViewObject: { me: true }, canCreateObjectFor: { me: true } } } }, 300],
    [
      {
        owner: { canCreateOwner: true },
        other: { canAssignRoles: { myChildren: true } },
        ownable: {
          role: { canViewObject: { me: true }, canCreateObjectFor: { me: true } },
          sensor: { canViewObject: everywhere },
        },
      },
      undefined,
    ],
  ];
  expect(cases.map(([permissions]) => findInvitationDenial(actorWith(permissions))?.code)).toEqual(
    cases.map(([, code]) => code),
  );
});
