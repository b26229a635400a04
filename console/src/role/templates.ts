// What a new role can start from, limited to the user's own rights (RO-04).
import type { Actor } from "@psp/contract/permission/can.ts";
import {
  accessLevels,
  accessTemplates,
  type LimitedTemplate,
  limitTemplate,
} from "@psp/contract/permission/templates.ts";
import { toPermissions, toRights } from "./permission.form.ts";

export const roleTemplates = ["empty", ...accessLevels, "own"] as const;
export type RoleTemplate = (typeof roleTemplates)[number];

export function applyTemplate(actor: Actor, start: RoleTemplate): LimitedTemplate {
  if (start === "empty") return { permissions: {}, leftOut: [] };
  if (start === "own") return { permissions: toPermissions(toRights(actor.permissions ?? {})), leftOut: [] };
  return limitTemplate(actor, accessTemplates[start]);
}
