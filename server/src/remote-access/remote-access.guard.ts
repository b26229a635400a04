// Who may come to a sensor's own pages: the sessions that are open, watched over as long as they are (PC-01).
import { errorCode } from "@psp/contract/errors.ts";
import { canEdit } from "@psp/contract/permission/can.ts";
import { mayCall } from "@psp/contract/remote-access/remote-access.ts";
import type { Context } from "../context.ts";
import { write } from "../db/write.ts";
import type { LongCalls } from "../http/long-calls.ts";
import { AppError } from "../kit/app-error.ts";
import { updated } from "../kit/bus.ts";
import type { Caller, SessionActor } from "../kit/caller.ts";
import { hashToken, randomToken } from "../kit/tokens.ts";
import { ownerOf } from "../owned/owner.ts";
import type { PageSession, Sessions } from "../proxy/proxy.ts";
import * as service from "./remote-access.service.ts";
import * as store from "./remote-access.store.ts";

type Open = { id: string; label: string; accountId: string; untilMs: number; session: PageSession; end(): void };

const maxPath = 300;

export type RemoteAccessGuard = Sessions & { missed(): Promise<void>; stop(): void };

/** `people` are the console's sessions. */
export function createRemoteAccessGuard(
  ctx: Context,
  people: { byId(sessionId: string): Promise<SessionActor | null> },
  longCalls: LongCalls,
): RemoteAccessGuard {
  /** By the hash of their cookie; one that is being looked up is a promise. */
  const open = new Map<string, Promise<Open | null>>();
  const keyOf = (hash: Buffer) => hash.toString("base64");

  const callerOf = async (sessionId: string): Promise<Caller | null> => {
    const actor = await people.byId(sessionId);
    return actor && { ...actor, request: { id: "remote-access", idempotency: null, ifMatch: null } };
  };

  /** Throws what ends the session: the sensor must be the same owner's, visible, and editable if that is what was allowed. */
  async function requireRights(caller: Caller, row: store.PageRow): Promise<void> {
    const sensor = await store.findPagedSensor(ctx.db, caller, row.sensor_id);
    if (!sensor || sensor.owner_id !== row.owner_id) throw new AppError(errorCode.notFound);
    if (row.mode === "edit" && !canEdit(caller, "sensor", await ownerOf(ctx.db, sensor.owner_id)))
      throw new AppError(errorCode.noEdit);
  }

  const endStored = (id: string, why: service.EndReason) =>
    write(ctx, { system: "remote access" }, (w) => service.end(ctx, w, [id], why)).catch((error: unknown) =>
      ctx.log.warn({ err: error, remoteSession: id }, "the end of a remote session could not be stored"),
    );

  /** The open session of a cookie, watched from here on; null when it opens none. */
  async function load(key: string, hash: Buffer): Promise<Open | null> {
    const row = await store.findByCookie(ctx.db, hash, ctx.clock.date());
    if (!row) return null;
    const caller = await callerOf(row.session_id);
    if (!caller) {
      await endStored(row.id, "logout");
      return null;
    }
    const ender = new AbortController();
    let over = () => {};
    const one: Open = {
      id: row.id,
      label: row.label,
      accountId: row.account_id,
      untilMs: row.until?.getTime() ?? 0,
      session: {
        sensorId: row.sensor_id,
        isReadOnly: row.mode === "view",
        user: row.mode === "view" ? ctx.config.autoLogin.view : ctx.config.autoLogin.edit,
        ended: ender.signal,
        mayCall: (method) => mayCall(row.mode === "view" ? "view" : "edit", method),
        recordWrite: (method, path) =>
          store.noteWrite(
            ctx.db,
            row.id,
            method.slice(0, 20),
            path.toWellFormed().slice(0, maxPath),
            service.maxWrites,
          ),
      },
      end() {
        open.delete(key);
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

  function find(hash: Buffer): Promise<Open | null> {
    const key = keyOf(hash);
    const known = open.get(key);
    if (known) return known;
    const loading = load(key, hash).then(
      (one) => {
        if (!one || one.session.ended.aborted) open.delete(key);
        return one?.session.ended.aborted ? null : one;
      },
      (error: unknown) => {
        open.delete(key);
        throw error;
      },
    );
    open.set(key, loading);
    return loading;
  }

  /** The first cookie that opens this sensor's pages, with its time not over. */
  async function current(label: string, cookies: readonly string[]): Promise<Open | null> {
    for (const cookie of cookies) {
      const hash = hashToken(cookie);
      let one = await find(hash);
      if (one && ctx.clock.now() >= one.untilMs) {
        // It may have been extended.
        one.end();
        one = await find(hash);
      }
      if (one?.label === label) return one;
    }
    return null;
  }

  const off = ctx.bus.on("remoteSessionsEnded", ({ ids }) => {
    const ended = new Set(ids);
    for (const loading of open.values())
      void loading.then(
        (one) => one && ended.has(one.id) && one.end(),
        () => undefined,
      );
  });

  return {
    async enter(label, token, cookies) {
      const now = ctx.clock.date();
      const tokenHash = hashToken(token);
      const row = await store.findByToken(ctx.db, tokenHash, label, now);
      const caller = row && (await callerOf(row.session_id));
      if (!row || !caller) return null;
      // An older window of the same person goes on with the new session.
      const former = await current(label, cookies);
      const cookie = randomToken();
      const cookieHash = hashToken(cookie);
      const owner = await ownerOf(ctx.db, row.owner_id);
      const opened = await write(ctx, caller, async (w) => {
        if (!(await store.openSession(w.tx, row.id, { tokenHash, cookieHash, now }))) return false;
        service.note(w, "remoteAccess", row.sensor_id, owner, {
          mode: row.mode,
          reason: row.reason,
          minutes: row.minutes,
        });
        if (former?.accountId === row.account_id) await service.end(ctx, w, [former.id], "replaced");
        w.announce(updated("sensor", row.sensor_id, row.owner_id));
        return true;
      });
      // Its rights are asked for now, not when the first page is.
      if (!opened || !(await find(cookieHash))) return null;
      return cookie;
    },
    async find(label, cookies) {
      return (await current(label, cookies))?.session ?? null;
    },
    /** Looks after every open session, as after a start or when events of other processes were lost. */
    async missed() {
      for (const hash of await store.findOpenCookies(ctx.db, ctx.clock.date())) await find(hash);
    },
    stop() {
      off();
      for (const loading of open.values())
        void loading.then(
          (one) => one?.end(),
          () => undefined,
        );
    },
  };
}

function whyOf(reason: unknown): service.EndReason {
  return reason instanceof AppError && reason.code === errorCode.unauthorized ? "logout" : "rights";
}
