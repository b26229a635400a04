// Firmware calls to use cases, one line each.
import * as calls from "@psp/contract/firmware/firmware.api.ts";
import type { Context } from "../context.ts";
import type { Binder } from "../http/bind.ts";
import * as firmware from "./firmware.service.ts";

export function firmwareRoutes(bind: Binder, ctx: Context): void {
  bind.session(calls.listFirmware, (caller, { query }) => firmware.listFirmware(ctx, caller, query));
  bind.session(calls.getFirmware, (caller, { params }) => firmware.getFirmware(ctx, caller, params.id));
  bind.session(
    calls.updateFirmware,
    (caller, { params, body }) => firmware.updateFirmware(ctx, caller, params.id, body),
    (caller, { id }) => firmware.getFirmware(ctx, caller, id),
  );
  bind.session(calls.deleteFirmware, (caller, { params }) => firmware.deleteFirmware(ctx, caller, params.id));
}
