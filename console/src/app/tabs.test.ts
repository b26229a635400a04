// Tests the tabs and the home page by role (SH-04, SH-07, PE-02).
import type { Actor } from "@psp/contract/permission/can.ts";
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { expect, test } from "vitest";
import { homePath, tabsOf } from "./tabs.ts";

const actor = (permissions: Permissions | null): Actor => ({
  id: "a",
  parentAccounts: ["root"],
  roleId: "r",
  permissions,
});
const sees = (...types: ("measurement" | "sensor" | "artifact" | "role")[]): Permissions => ({
  ownable: Object.fromEntries(types.map((type) => [type, { canViewObject: { me: true } }])),
});
const nothing = { hasLicense: false, mayCreateToken: false };
const names = (permissions: Permissions | null, facts = nothing) =>
  tabsOf(actor(permissions), facts).map(({ id }) => id);

test.each<[string, Permissions | null, string[]]>([
  ["no role", null, ["dashboard"]],
  ["locations", sees("measurement"), ["dashboard", "location"]],
  ["sensors", sees("sensor"), ["dashboard", "sensor"]],
  ["firmware", sees("artifact"), ["dashboard", "firmware"]],
  ["roles", sees("role"), ["dashboard", "role"]],
  ["other accounts", { owner: { canViewOwner: { myChildren: true } } }, ["dashboard", "account"]],
  ["only the own account", { owner: { canViewOwner: { me: true } } }, ["dashboard"]],
  ["accounts above", { owner: { canViewOwner: { relativeAncestorLevel: 1 } } }, ["dashboard", "account"]],
  ["an ancestor level of zero", { owner: { canViewOwner: { relativeAncestorLevel: 0 } } }, ["dashboard"]],
  ["an empty scope", { ownable: { sensor: { canViewObject: { me: false, roles: [] } } } }, ["dashboard"]],
])("SH-04 PE-02 %s", (_, permissions, tabs) => {
  expect(names(permissions)).toEqual(tabs);
});

test("SH-04 the dashboard is disabled without a license, init tokens without a possible owner", () => {
  const off = tabsOf(actor(sees("sensor")), nothing);
  expect(off[0]?.disabledReason).toBe(
    "Purchase a sensor monitoring license for at least 1 sensor to enable the dashboard",
  );
  const on = tabsOf(actor(sees("sensor")), { hasLicense: true, mayCreateToken: true });
  expect(on[0]?.disabledReason).toBeUndefined();
  expect(on.map(({ id }) => id)).toEqual(["dashboard", "sensor", "init-token"]);
});

test.each<[Permissions | null, string]>([
  [sees("role", "artifact", "sensor", "measurement"), "/location"],
  [sees("role", "artifact", "sensor"), "/sensor"],
  [{ ...sees("role", "artifact"), owner: { canViewOwner: { myChildren: true } } }, "/firmware"],
  [{ ...sees("role"), owner: { canViewOwner: { myChildren: true } } }, "/account"],
  [sees("role"), "/role"],
  [{}, "/myaccount"],
  [null, "/myaccount"],
])("SH-07 home of %j is %s", (permissions, path) => {
  expect(homePath(actor(permissions))).toBe(path);
});
