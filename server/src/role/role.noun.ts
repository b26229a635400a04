// Roles as owned things.
import type { Role } from "@psp/contract/role/role.ts";
import type { OwnedNoun } from "../owned/noun.ts";
import { roleReasons } from "./role.reasons.ts";
import { findRole, type RoleRow, roleTable } from "./role.store.ts";
import { roleTrail, toRole } from "./role.wire.ts";

export const roles: OwnedNoun<"role", RoleRow, Role> = {
  ...roleTable,
  type: "role",
  rights: "role",
  reasons: roleReasons,
  find: findRole,
  toWire: toRole,
  trail: roleTrail,
};
