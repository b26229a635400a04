// API call that invites a colleague.
import { endpoint } from "../kit/endpoint.ts";
import { invitationSchema, newInvitationSchema } from "./invitation.ts";

/**
 * Decided like `createRole` and `createAccount`: 303 without the right to create accounts, or roles for the account that is seen; 103
 * for an account that the caller may not extend; 300 for rights that the caller can't give; 409 for an address in use.
 */
export const inviteColleague = endpoint("inviteColleague", "POST", "/v2/invitation", {
  summary:
    "Invites a colleague: makes the account and, unless there is an equal one, its role, and sends the invitation",
  perMinute: 30,
  body: newInvitationSchema,
  reply: invitationSchema,
});
