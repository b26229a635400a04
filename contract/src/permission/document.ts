// Schema of a role's permissions. Separate from the permission rules, so that pages that load only the rules don't load this schema
// (ADR 0027).
import { z } from "zod";
import { uuid } from "../kit/ids.ts";

export const maxAncestorLevel = 100;

/** A missing part covers no accounts. */
export const scopeSchema = z.strictObject({
  me: z.boolean().optional(),
  myChildren: z.boolean().optional(),
  roles: z.array(uuid).max(200).optional(),
  relativeAncestorLevel: z.int().min(0).max(maxAncestorLevel).optional(),
});

const ownableSchema = z.strictObject({
  canViewObject: scopeSchema.optional(),
  canEditObject: scopeSchema.optional(),
  canDeleteObject: scopeSchema.optional(),
  canCreateObjectFor: scopeSchema.optional(),
  canChangeOwner: z.strictObject({ from: scopeSchema.optional(), to: scopeSchema.optional() }).optional(),
});

export const permissionsSchema = z.strictObject({
  other: z
    .strictObject({
      canAssignRoles: scopeSchema.optional(),
      canAssignSensors: scopeSchema.optional(),
      canUseArtifact: scopeSchema.optional(),
    })
    .optional(),
  ownable: z
    .strictObject({
      artifact: ownableSchema.optional(),
      measurement: ownableSchema.optional(),
      role: ownableSchema.optional(),
      file: ownableSchema.optional(),
      sensor: ownableSchema.optional(),
    })
    .optional(),
  owner: z
    .strictObject({
      canCreateOwner: z.boolean().optional(),
      canViewOwner: scopeSchema.optional(),
      canEditOwner: scopeSchema.optional(),
      canDeleteOwner: scopeSchema.optional(),
    })
    .optional(),
});
