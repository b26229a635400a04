// Tests that the permission form is complete, loses nothing, and agrees with the server's checks (RO-03, RO-04).
import { type Actor, findExceedingScope } from "@psp/contract/permission/can.ts";
import { fullPermissions, listScopes, withOwnAccountView } from "@psp/contract/permission/permissions.ts";
import type { Scope } from "@psp/contract/permission/scope.ts";
import { expect, test } from "vitest";
import { getRightName } from "@psp/contract/permission/right-names.ts";
import {
  createAccountsDisabledReason,
  levelLimit,
  limitOf,
  describeReach,
  type Rights,
  rightTabs,
  grantableRoles,
  switchDisabledReason,
  toPermissions,
  toRights,
  withScope,
} from "./permission.form.ts";

const roleA = "00000000-0000-4000-8000-00000000000a";
const roleB = "00000000-0000-4000-8000-00000000000b";
const keys = listScopes({}).map(({ key }) => key);
const none = toRights({});

const actorWith = (rights: Rights, root = false): Actor => ({
  id: "self",
  parentAccounts: root ? [] : ["root"],
  roleId: "own",
  permissions: toPermissions(rights),
});

test("RO-03 the tabs hold every scope of the document, each once", () => {
  const shown = rightTabs.flatMap((tab) => tab.groups.map((group) => group.key));
  expect(shown.toSorted()).toEqual(keys.toSorted());
  expect(rightTabs.map((tab) => tab.name)).toEqual(["Owner", "Role", "Sensor", "Location", "Firmware", "File"]);
  expect(rightTabs[0]?.groups.map((group) => group.name)).toEqual([
    "View",
    "Edit",
    "Delete",
    "Assign roles",
    "Assign sensors",
    "Use firmware",
  ]);
  for (const tab of rightTabs.slice(1)) {
    expect(tab.groups.map((group) => group.name)).toEqual([
      "View",
      "Edit",
      "Delete",
      "Create for",
      "Change owner from",
      "Change owner to",
    ]);
  }
  // Labels must match the names that the server uses for rights.
  for (const tab of rightTabs)
    for (const group of tab.groups) expect(getRightName(group.key)).toBe(`${tab.name} › ${group.name}`);
  expect(getRightName("owner.canCreateOwner")).toBe("Owner › Create accounts");
  expect(getRightName("ownable.sensor.unknown")).toBe("ownable.sensor.unknown");
});

test("RO-03 a document survives the form; what grants nothing is left out", () => {
  expect(toPermissions(toRights(fullPermissions))).toEqual(fullPermissions);
  expect(toPermissions(none)).toEqual(withOwnAccountView({}));
  const some = {
    ownable: {
      file: { canViewObject: { roles: [roleA], relativeAncestorLevel: 2 }, canEditObject: { me: false, roles: [] } },
    },
  };
  expect(toPermissions(toRights(some))).toEqual(
    withOwnAccountView({ ownable: { file: { canViewObject: { roles: [roleA], relativeAncestorLevel: 2 } } } }),
  );
  const on = withScope(none, "ownable.sensor.canEditObject", { me: true });
  expect(withScope(on, "ownable.sensor.canEditObject", { me: false })).toEqual(none);
});

test("RO-04 a switch is off limits exactly where the server would answer 308", () => {
  const scopes: Scope[] = [{}, { me: true }, { myChildren: true }, { me: true, myChildren: true }];
  let open = 0;
  let shut = 0;
  for (const key of keys) {
    for (const own of scopes) {
      for (const saved of scopes) {
        for (const part of ["me", "myChildren"] as const) {
          if (key === "owner.canViewOwner" && part === "me") continue;
          const actor = actorWith(withScope(none, key, own));
          const before = withScope(none, key, saved);
          const off = withScope(before, key, { [part]: false });
          const refused = findExceedingScope(
            actor,
            toPermissions(withScope(off, key, { [part]: true })),
            toPermissions(before),
          );
          const limit = limitOf(actor, key, before);
          const reason = switchDisabledReason(part, key, { limit, scope: off.scopes[key] ?? {}, readOnly: false });
          expect(reason === undefined, `${key} ${part} ${JSON.stringify([own, saved])}`).toBe(refused === null);
          if (reason === undefined) open += 1;
          else shut += 1;
        }
      }
    }
  }
  expect(open).toBeGreaterThan(500);
  expect(shut).toBeGreaterThan(200);
});

test("RO-03 what is set can be taken away, nothing in a read-only form, and 'Me' of the owner view never", () => {
  const key = "ownable.sensor.canEditObject";
  const limit = limitOf(actorWith(none), key, none);
  const of = (scope: Scope, readOnly = false) => switchDisabledReason("me", key, { limit, scope, readOnly });
  expect(of({ me: true })).toBeUndefined();
  expect(of({})).toBe("Your own role doesn't have this permission");
  expect(of({ me: true }, true)).toBe("You don't have permission to edit this role");
  const view = "owner.canViewOwner";
  const root = limitOf(actorWith(none, true), view, none);
  expect(switchDisabledReason("me", view, { limit: root, scope: { me: true }, readOnly: false })).toBeDefined();
  expect(switchDisabledReason("myChildren", view, { limit: root, scope: {}, readOnly: false })).toBeUndefined();
});

test("RO-04 roles and levels: the editor's own and what the role had; root is free", () => {
  const key = "ownable.file.canViewObject";
  const own = withScope(none, key, { roles: [roleA], relativeAncestorLevel: 2 });
  const before = withScope(none, key, { roles: [roleB], relativeAncestorLevel: 5 });
  expect(grantableRoles(limitOf(actorWith(own), key, before))).toEqual([roleA, roleB]);
  expect(levelLimit(limitOf(actorWith(own), key, before), 100)).toBe(5);
  expect(levelLimit(limitOf(actorWith(own), key, none), 100)).toBe(2);
  for (const [scope, highest] of [
    [{ me: true, myChildren: true }, 100],
    [{ me: true, relativeAncestorLevel: 1 }, 1],
    [{ myChildren: true }, 0],
  ] as const)
    expect(levelLimit(limitOf(actorWith(withScope(none, key, scope)), key, none), 100)).toBe(highest);
  expect(grantableRoles(limitOf(actorWith(none, true), key, none))).toBeNull();
  expect(levelLimit(limitOf(actorWith(none, true), key, none), 100)).toBe(100);
});

test("RO-04 creating accounts is given by those who have it", () => {
  const of = (createAccounts: boolean, now: boolean, before: boolean, readOnly = false) =>
    createAccountsDisabledReason(actorWith({ ...none, createAccounts }), { now, before, readOnly });
  expect(of(true, false, false)).toBeUndefined();
  expect(of(false, true, true)).toBeUndefined();
  expect(of(false, false, true)).toBeUndefined();
  expect(of(false, false, false)).toBe("Your own role doesn't have this permission");
  expect(of(true, true, true, true)).toBe("You don't have permission to edit this role");
});

test.each<[Scope, string | null]>([
  [{}, null],
  [{ me: true }, "own account"],
  [{ myChildren: true }, "all sub-accounts"],
  [{ me: true, myChildren: true }, "own account and all sub-accounts"],
  [{ relativeAncestorLevel: 1 }, "the parent account"],
  [{ me: true, relativeAncestorLevel: 3 }, "own account and the 3 nearest parent accounts"],
  [{ roles: [roleA] }, "accounts with the role Cleaner"],
  [
    { me: true, myChildren: true, relativeAncestorLevel: 1, roles: [roleA, roleB] },
    "own account and all sub-accounts, the parent account, and accounts with the role Cleaner or Guard",
  ],
])("RO-03 %j in words: %s", (scope, words) => {
  expect(describeReach(scope, (id) => (id === roleA ? "Cleaner" : "Guard"))).toBe(words);
});
