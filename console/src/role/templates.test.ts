// Tests that no template gives a role more than the server would accept.
import { type Actor, findExceedingScope } from "@psp/contract/permission/can.ts";
import { asActor, forestArbitrary } from "@psp/contract/permission/forest.testing.ts";
import { type PermissionsDoc, wouldBeTooPowerful } from "@psp/contract/permission/oracle.testing.ts";
import { fullPermissions, type Permissions, listScopes } from "@psp/contract/permission/permissions.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { accountCreationKey, compareWithOwn, keyOfCell, matrixActions, matrixNouns, tabOf } from "./matrix/matrix.ts";
import { rightTabs, toPermissions, toRights } from "./permission.form.ts";
import { applyTemplate, roleTemplates } from "./templates.ts";

const actorWith = (permissions: Permissions | null, isRoot = false): Actor => ({
  id: "self",
  parentAccounts: isRoot ? [] : ["root"],
  roleId: "own",
  permissions,
});

test("RO-04 whatever one's own role, no template is more powerful, and the copy has all that it has", () => {
  let cut = 0;
  let whole = 0;
  fc.assert(
    fc.property(forestArbitrary({ maxAccounts: 6 }), ({ accounts }) => {
      for (const account of accounts) {
        const actor = asActor(account);
        for (const start of roleTemplates) {
          const { permissions, leftOut } = applyTemplate(actor, start);
          expect(wouldBeTooPowerful(account, permissions as PermissionsDoc, {})).toBe(false);
          if (leftOut.length > 0) cut += 1;
          else whole += 1;
        }
        const copy = applyTemplate(actor, "own").permissions;
        expect(copy).toEqual(toPermissions(toRights(actor.permissions ?? {})));
      }
    }),
    { seed: 9, numRuns: 60 },
  );
  expect(Math.min(cut, whole)).toBeGreaterThan(50);
});

test("RO-04 a template says which rights it has less of, and is whole for those who have all of it", () => {
  expect(applyTemplate(actorWith(fullPermissions), "manager")).toEqual({
    permissions: fullPermissions,
    leftOut: [],
  });
  expect(applyTemplate(actorWith(null, true), "manager")).toEqual({ permissions: fullPermissions, leftOut: [] });
  expect(applyTemplate(actorWith(fullPermissions), "empty")).toEqual({ permissions: {}, leftOut: [] });
  const narrow = actorWith({ ownable: { sensor: { canViewObject: { me: true } } } });
  const { permissions, leftOut } = applyTemplate(narrow, "viewer");
  expect(permissions).toEqual({
    ownable: { sensor: { canViewObject: { me: true } } },
    owner: { canViewOwner: { me: true } },
  });
  expect(leftOut).toEqual(expect.arrayContaining(["Sensor › View", "Location › View", "Owner › View"]));
  expect(leftOut).not.toContain("Sensor › Edit");
});

test("RO-03 viewers change nothing, operators only edit, and technicians delete nothing", () => {
  const of = (start: (typeof roleTemplates)[number]) =>
    listScopes(applyTemplate(actorWith(fullPermissions), start).permissions)
      .filter(({ scope }) => scope !== undefined)
      .map(({ key }) => key);
  expect(of("viewer").every((key) => /canView/.test(key))).toBe(true);
  expect(of("operator").filter((key) => !/canView|(sensor|measurement).canEditObject/.test(key))).toEqual([]);
  expect(of("technician").some((key) => /sensor.canEditObject/.test(key))).toBe(true);
  expect(of("technician").filter((key) => /canDelete|canChangeOwner|canAssignRoles|EditOwner/.test(key))).toEqual([]);
});

test("RO-03 the matrix has every right of the document once, and each leads to the tab that holds it", () => {
  const keys = matrixActions.flatMap((act) => matrixNouns.flatMap((noun) => keyOfCell(act, noun) ?? []));
  const all = [...listScopes({}).map(({ key }) => key), accountCreationKey];
  expect(keys.toSorted()).toEqual(all.toSorted());
  expect(tabOf(accountCreationKey)).toBe("owner");
  for (const tab of rightTabs) for (const { key } of tab.groups) expect(tabOf(key)).toBe(tab.id);
});

test("RO-04 'more' in the matrix is what the server would refuse, right by right", () => {
  const key = "ownable.sensor.canEditObject";
  const scopes = [{}, { me: true }, { myChildren: true }, { me: true, myChildren: true }, { relativeAncestorLevel: 2 }];
  const document = (scope: object): Permissions => ({ ownable: { sensor: { canEditObject: scope } } });
  const seen = new Set<string>();
  for (const own of scopes)
    for (const wanted of scopes) {
      const actor = actorWith(document(own));
      const difference = compareWithOwn(actor, toRights(document(wanted)), key);
      expect(difference === "more").toBe(findExceedingScope(actor, document(wanted)) !== null);
      expect(difference === "same").toBe(JSON.stringify(own) === JSON.stringify(wanted));
      seen.add(difference);
      expect(compareWithOwn(actorWith(document(own), true), toRights(document(wanted)), key)).not.toBe("more");
    }
  expect([...seen].toSorted()).toEqual(["less", "more", "same"]);
  const may = actorWith({ owner: { canCreateOwner: true } });
  expect(compareWithOwn(may, toRights({}), accountCreationKey)).toBe("less");
  expect(compareWithOwn(actorWith({}), toRights({ owner: { canCreateOwner: true } }), accountCreationKey)).toBe("more");
});
