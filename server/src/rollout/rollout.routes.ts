// How far the rollout of a firmware is, for those who see the firmware.
import { getRollout } from "@psp/contract/firmware/firmware.api.ts";
import type { Context } from "../context.ts";
import type { Binder } from "../http/bind.ts";
import { firmwareOfRollout, rolloutOf } from "./rollout-figures.service.ts";

export function rolloutRoutes(bind: Binder, ctx: Context): void {
  bind.session(
    getRollout,
    (caller, { params }) => rolloutOf(ctx, caller, params.id),
    (caller, { id }) => firmwareOfRollout(ctx, caller, id),
  );
}
