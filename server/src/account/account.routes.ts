// Maps account calls to use cases.
import * as calls from "@psp/contract/account/account.api.ts";
import * as rightsCalls from "@psp/contract/account/rights.api.ts";
import { getAccountOpeningHours, setAccountOpeningHours } from "@psp/contract/opening/opening.api.ts";
import { importUpload } from "@psp/contract/account/account.import.ts";
import { canCreateAccount } from "@psp/contract/permission/can.ts";
import type { Context } from "../context.ts";
import { type Binder, responseSent } from "../http/bind.ts";
import { withForm } from "../http/upload/form-upload.ts";
import { withProgress } from "../http/upload/progress.ts";
import type { Caller } from "../kit/caller.ts";
import { getOwned } from "../owned/change.ts";
import { createImporter, abortWithoutCreateRight } from "./import/import.service.ts";
import { getDefaultHours, setDefaultHours } from "./account.opening.service.ts";
import type { PasswordCheck } from "./account.credentials.service.ts";
import * as service from "./account.service.ts";

export function accountRoutes(bind: Binder, ctx: Context, confirm: PasswordCheck): void {
  const find = (caller: Caller, { id }: { id: string }) => getOwned(ctx, service.accounts, caller, id);
  bind.session(calls.listAccounts, (caller, { query }) => service.listAccounts(ctx, caller, query));
  bind.session(calls.getAccount, (caller, { params }) => find(caller, params), find);
  bind.session(calls.createAccount, (caller, { body }) => service.createAccount(ctx, caller, body));
  bind.session(
    calls.updateAccount,
    (caller, { params, body }) => service.updateAccount(ctx, caller, params.id, body, confirm),
    find,
  );
  bind.session(calls.deleteAccount, (caller, { params }) => service.deleteAccount(ctx, caller, params.id), find);
  bind.session(getAccountOpeningHours, (caller, { params }) => getDefaultHours(ctx, caller, params.id), find);
  bind.session(
    setAccountOpeningHours,
    (caller, { params, body }) => setDefaultHours(ctx, caller, params.id, body.openingHours),
    find,
  );
  bind.session(rightsCalls.listStandings, (caller, { query }) => service.listStandings(ctx, caller, query.ids));
  bind.session(rightsCalls.findCreatableTypes, (caller) => service.findCreatableTypes(ctx, caller));
  const importFile = createImporter(ctx);
  bind.upload(
    calls.importAccounts,
    canCreateAccount,
    async (_caller, _input, { request, reply, closing, beginLongCall }) => {
      const longCall = await beginLongCall();
      return withForm(
        ctx.config.dataDir,
        request,
        importUpload,
        abortWithoutCreateRight(longCall),
        ({ fields, file }) =>
          withProgress({ request, reply, log: ctx.log }, responseSent, (report) =>
            importFile(longCall, { ...fields, file, closing }, report),
          ),
      );
    },
  );
}
