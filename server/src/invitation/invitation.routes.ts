// Maps the invitation call to its use case.
import { inviteColleague } from "@psp/contract/invitation/invitation.api.ts";
import type { Context } from "../context.ts";
import type { Binder } from "../http/bind.ts";
import * as service from "./invitation.service.ts";

export function invitationRoutes(bind: Binder, ctx: Context): void {
  bind.session(inviteColleague, (caller, { body }) => service.inviteColleague(ctx, caller, body));
}
