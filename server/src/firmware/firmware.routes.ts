// Maps firmware calls to use cases; packages are streamed.
import * as calls from "@psp/contract/firmware/firmware.api.ts";
import { firmwareFormFields } from "@psp/contract/firmware/firmware.ts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Context } from "../context.ts";
import type { Binder, ResponseSent } from "../http/bind.ts";
import { sendBytes } from "../http/send-bytes.ts";
import { receiveForm } from "../http/upload/upload.ts";
import type { Caller } from "../kit/caller.ts";
import { deleteOwnedById } from "../owned/change.ts";
import { firmwareNoun } from "./firmware.noun.ts";
import * as firmware from "./firmware.service.ts";
import { canCreateFirmware, createFirmware } from "./firmware.upload.service.ts";
import { type PackageRow, readPackage } from "./package/package.service.ts";

export function firmwareRoutes(bind: Binder, ctx: Context): void {
  const find = (caller: Caller, { id }: { id: string }) => firmware.getFirmware(ctx, caller, id);
  bind.session(calls.listFirmware, (caller, { query }) => firmware.listFirmware(ctx, caller, query));
  bind.session(calls.getFirmware, (caller, { params }) => find(caller, params), find);
  bind.session(
    calls.updateFirmware,
    (caller, { params, body }) => firmware.updateFirmware(ctx, caller, params.id, body),
    find,
  );
  const limits = { file: "file", maxBytes: ctx.config.firmware.maxBytes, fields: firmwareFormFields };
  bind.upload(calls.createFirmware, canCreateFirmware, async (_caller, _input, { request, beginLongCall }) => {
    const longCall = await beginLongCall();
    return createFirmware(ctx, longCall, (take) => receiveForm(request, limits, take, longCall.signal));
  });
  // After a deletion, sensors that run the firmware still show its name, and current downloads may finish.
  bind.session(
    calls.deleteFirmware,
    (caller, { params }) => deleteOwnedById(ctx, caller, firmwareNoun, params.id),
    find,
  );
  bind.session(
    calls.getFirmwarePackage,
    async (_caller, { params }, { request, reply, beginLongCall }) => {
      const longCall = await beginLongCall();
      const row = await firmware.getPackage(ctx, longCall.caller, params.id);
      longCall.reliesOn((now) => firmware.getPackage(ctx, now, params.id));
      return send(ctx, row, request, reply, longCall.signal);
    },
    find,
  );
}

/** Downloads by devices. They need a valid link and no session. */
export function firmwareDeviceRoutes(app: FastifyInstance, ctx: Context): void {
  app.get<{ Params: { token: string } }>(
    "/device/fw/:token",
    { config: { call: calls.fetchFirmware.name } },
    async (request, reply) => {
      send(ctx, await firmware.getLinkedPackage(ctx, request.params.token), request, reply);
      return reply;
    },
  );
}

function send(
  ctx: Context,
  row: PackageRow,
  request: FastifyRequest,
  reply: FastifyReply,
  ended: AbortSignal | null = null,
): ResponseSent {
  const bytes = {
    size: Number(row.size),
    sha256: row.sha256,
    fileName: `${row.type}-${row.name}.bin`,
    read: (span: Parameters<typeof readPackage>[2]) => readPackage(ctx, row, span),
  };
  return sendBytes(request, reply, bytes, ended);
}
