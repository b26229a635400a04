// Watches one open session on device pages: it ends with its login, with a lost right, or on request.
import { errorCode } from "@psp/contract/errors.ts";
import { canEdit } from "@psp/contract/permission/can.ts";
import { canCallMethod } from "@psp/contract/remote-access/remote-access.ts";
import type { Context } from "../context.ts";
import { write } from "../db/write.ts";
import type { LongCalls } from "../http/long-calls.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import { getOwner } from "../owned/owner.ts";
import type { PageSession } from "../proxy/page-session.ts";
import * as service from "./remote-access.service.ts";
import * as store from "./remote-access.store.ts";

export type OpenSession = {
  id: string;
  label: string;
  accountId: string;
  untilMs: number;
  session: PageSession;
  end(): void;
};

const maxPath = 300;

export function createSessionWatch(
  ctx: Context,
  callerOf: (sessionId: string) => Promise<Caller | null>,
  longCalls: LongCalls,
) {
  /**
   * Throws the error that ends the session, unless the sensor still has the same owner, is visible, and, in mode
   * `edit`, is editable.
   */
  async function requireRights(caller: Caller, row: store.DevicePageSessionRow): Promise<void> {
    const sensor = await store.findDevicePageSensor(ctx.db, caller, row.sensor_id);
    if (!sensor || sensor.owner_id !== row.owner_id) throw new AppError(errorCode.notFound);
    if (row.mode === "edit" && !canEdit(caller, "sensor", await getOwner(ctx.db, sensor.owner_id)))
      throw new AppError(errorCode.noEdit);
  }

  const endStored = (id: string, why: service.EndReason) =>
    write(ctx, { system: "remote access" }, (w) => service.endSessions(ctx, w, [id], why)).catch((error: unknown) =>
      ctx.log.warn({ err: error, remoteSession: id }, "the end of a remote session could not be stored"),
    );

  /** Finds the session of a cookie and watches it; null if there is none. `forget` is called when the session ends. */
  async function watch(hash: Buffer, forget: () => void): Promise<OpenSession | null> {
    const row = await store.findSessionByCookie(ctx.db, hash, ctx.clock.date());
    if (!row) return null;
    const caller = await callerOf(row.session_id);
    if (!caller) {
      await endStored(row.id, "logout");
      return null;
    }
    const ender = new AbortController();
    let over = () => {};
    const one: OpenSession = {
      id: row.id,
      label: row.label,
      accountId: row.account_id,
      untilMs: row.until?.getTime() ?? 0,
      session: {
        sensorId: row.sensor_id,
        isReadOnly: row.mode === "view",
        user: row.mode === "view" ? ctx.config.autoLogin.view : ctx.config.autoLogin.edit,
        ended: ender.signal,
        mayCall: (method) => canCallMethod(row.mode === "view" ? "view" : "edit", method),
        recordWrite: (method, path) =>
          store.recordWrite(
            ctx.db,
            row.id,
            method.slice(0, 20),
            path.toWellFormed().slice(0, maxPath),
            service.maxWrites,
          ),
      },
      end() {
        forget();
        over();
        ender.abort();
      },
    };
    try {
      const watched = await longCalls.begin(caller, (done) => void (over = done));
      await requireRights(watched.caller, row);
      watched.reliesOn((present) => requireRights(present, row));
      watched.signal.addEventListener("abort", () => lose(watched.signal.reason), { once: true });
      watched.signal.throwIfAborted();
    } catch (error) {
      over();
      if (!(error instanceof AppError)) throw error;
      await endStored(row.id, whyOf(error));
      return null;
    }
    function lose(reason: unknown) {
      one.end();
      void endStored(row?.id ?? "", whyOf(reason));
    }
    return one;
  }

  return watch;
}

function whyOf(reason: unknown): service.EndReason {
  return reason instanceof AppError && reason.code === errorCode.unauthorized ? "logout" : "rights";
}
