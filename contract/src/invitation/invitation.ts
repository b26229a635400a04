// Invitations of colleagues: who, what they may do, and which account they see (docs/rules/accounts.md#colleagues).
import { z } from "zod";
import { emailSchema } from "../account/account.ts";
import { uuid } from "../kit/ids.ts";
import { accessLevels } from "../permission/templates.ts";

export const newInvitationSchema = z.strictObject({
  email: emailSchema,
  access: z.enum(accessLevels),
  /** The sub-account that the colleague sees; by default the caller's account. */
  account: uuid.optional(),
});
export type NewInvitation = z.output<typeof newInvitationSchema>;

const namedSchema = z.object({ _id: z.string(), name: z.string() });
export const invitationSchema = z.object({ account: namedSchema, role: namedSchema });
export type Invitation = z.output<typeof invitationSchema>;
