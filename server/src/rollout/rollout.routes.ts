// Maps rollout calls to use cases; visible to those who see the firmware.
import { getRollout } from "@psp/contract/firmware/firmware.api.ts";
import type { Context } from "../context.ts";
import type { Binder } from "../http/bind.ts";
import { getFirmwareOfRollout, computeRollout } from "./rollout-figures.service.ts";

export function rolloutRoutes(bind: Binder, ctx: Context): void {
  bind.session(
    getRollout,
    (caller, { params }) => computeRollout(ctx, caller, params.id),
    (caller, { id }) => getFirmwareOfRollout(ctx, caller, id),
  );
}
