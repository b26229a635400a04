// The API call that lists what an account may do with an object, with reasons (ADR 0008).
import { z } from "zod";
import { endpoint } from "../kit/endpoint.ts";
import { idText } from "../kit/page.ts";
import { accessRights, type AccessType } from "../permission/access.ts";

export const accessTypes = Object.keys(accessRights) as [AccessType, ...AccessType[]];

const reference = z.object({ _id: z.string(), name: z.string() });
const judgment = z.object({ allowed: z.boolean(), reason: z.string() });

const accessSchema = z.object({
  account: reference,
  object: reference,
  /** Keys are `view`, `edit`, `delete` and the rights of the object's type. */
  rights: z.record(z.string(), judgment),
});
export type Access = z.output<typeof accessSchema>;

export const getAccess = endpoint("getAccess", "GET", "/access", {
  summary:
    "What an account may do with an object, right by right with the reason; for callers who may view both (105). Rights of all types: view, edit, delete; beside them changeOwner (all but owner), assign (sensor: to a location of its owner; measurement: sensors to it), use (artifact), assignRoles (owner)",
  query: z.strictObject({
    account: idText,
    type: z.enum(accessTypes),
    /** Sensor ids are accepted in any spelling. */
    id: idText,
  }),
  reply: accessSchema,
});
