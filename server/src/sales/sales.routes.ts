// Maps calls of sales to use cases.
import { errorCode } from "@psp/contract/errors.ts";
import { resolveEditScope } from "@psp/contract/permission/can.ts";
import { isEmptySet } from "@psp/contract/permission/scope.ts";
import * as calls from "@psp/contract/sales/sales.api.ts";
import { salesUpload } from "@psp/contract/sales/sales.import.ts";
import type { Context } from "../context.ts";
import type { Binder } from "../http/bind.ts";
import { disconnectSignal } from "../http/long-calls.ts";
import { withForm } from "../http/upload/form-upload.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import { createSalesImporter } from "./import/import.service.ts";
import * as service from "./sales.service.ts";

const mayEditAny = (caller: Caller) => !isEmptySet(resolveEditScope(caller, "measurement"));

export function salesRoutes(bind: Binder, ctx: Context): void {
  const find = (caller: Caller, { id }: { id: string }) => service.requireEditableLocation(ctx, caller, id);
  bind.session(calls.putSales, (caller, { params, body }) => service.putSales(ctx, caller, params.id, body), find);
  bind.session(calls.listSales, (caller, { params, query }) => service.listSales(ctx, caller, params.id, query), find);
  bind.session(
    calls.deleteSales,
    (caller, { params, query }) => service.deleteSales(ctx, caller, params.id, query),
    find,
  );
  const importFile = createSalesImporter(ctx);
  bind.upload(calls.importSales, mayEditAny, async (_caller, { query }, { request, reply, closing, beginLongCall }) => {
    const longCall = await beginLongCall();
    const signal = AbortSignal.any([longCall.signal, disconnectSignal(reply)]);
    longCall.reliesOn((now) => {
      if (!mayEditAny(now)) throw new AppError(errorCode.noEdit);
    });
    return withForm(ctx.config.dataDir, request, salesUpload, signal, ({ file }) => {
      if (!mayEditAny(longCall.caller)) throw new AppError(errorCode.noEdit);
      return importFile(longCall.caller, { file, ...query }, { signal, closing });
    });
  });
}
