// Default opening hours of an account's locations (docs/rules/opening-hours.md#inheritance).
import { errorCode } from "@psp/contract/errors.ts";
import type { OpeningHours } from "@psp/contract/opening/opening-hours.ts";
import { canEdit } from "@psp/contract/permission/can.ts";
import type { Context } from "../context.ts";
import type { Reader } from "../db/database.ts";
import { lockRights } from "../db/locks.ts";
import { toJsonbOrNull } from "../db/storable.ts";
import { checkVersion, write } from "../db/write.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import { requireKnownCalendar } from "../opening/opening.service.ts";
import { publishAccount } from "../owned/change.ts";
import { reloadCaller } from "../role/rights.service.ts";
import { accountReasons } from "./account.reasons.ts";
import * as store from "./account.store.ts";
import { toAuditedAccount } from "./account.wire.ts";
import * as writes from "./account.write.store.ts";

const toReply = (row: Pick<store.LockedAccount, "opening_hours" | "version">) => ({
  openingHours: row.opening_hours,
  version: row.version,
});

export async function getDefaultHours(ctx: Context, caller: Caller, id: string) {
  const row = await store.findAccount(ctx.db, caller, id);
  if (!row) throw new AppError(errorCode.notFound);
  return toReply(row);
}

/** Ignores rights, because everyone who may view a location may view the hours that apply to it. */
export async function findDefaultHoursIgnoringRights(reader: Reader, id: string): Promise<OpeningHours | null> {
  return (await store.findOpeningHours(reader, id)) ?? null;
}

/** Requires the same rights as other changes of the account. */
export async function setDefaultHours(ctx: Context, caller: Caller, id: string, hours: OpeningHours | null) {
  requireKnownCalendar(hours);
  return write(ctx, caller, async (w) => {
    await lockRights(w.tx, "use");
    const actor = await reloadCaller(w.tx, caller);
    const before = await store.lockAccount(w.tx, actor, id);
    if (!before) throw new AppError(errorCode.notFound);
    const owner = { id, name: before.name, parentAccounts: before.ancestor_ids, roleId: before.role_id };
    if (!canEdit(actor, "owner", owner)) throw new AppError(errorCode.noEdit, accountReasons.edit(actor, owner));
    checkVersion(actor, before.version);
    await writes.updateAccounts(ctx, w.tx, [id], { opening_hours: toJsonbOrNull(hours) });
    const after = await writes.getAccountRow(w.tx, id);
    const logins = await store.findCredentials(w.tx, id);
    w.audit({
      action: "update",
      object: { type: "account", _id: id },
      owner: after,
      before: toAuditedAccount(before, logins),
      after: toAuditedAccount(after, logins),
    });
    publishAccount(w, "update", id);
    return toReply(after);
  });
}
