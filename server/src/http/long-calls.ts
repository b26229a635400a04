// Calls that take long: what began with a right ends when the right or the session does, notified by the bus, not by polling; and
// how answers end that flow for a while.
import { errorCode } from "@psp/contract/errors.ts";
import { AppError } from "../kit/app-error.ts";
import type { EntityChanged } from "../kit/bus.ts";
import type { Caller, LongCall, Check } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import type { Readable } from "node:stream";
import type { FastifyReply } from "fastify";

export type LongCalls = ReturnType<typeof createLongCalls>;

type Watched = {
  caller: Caller;
  ender: AbortController;
  check: Check;
  /** Count of changes when it was begun, and that of the last look at it. */
  since: number;
  seen: number;
  isAtWork: boolean;
};

/** This many are checked in parallel: one whose check is slow must not keep all others going. */
const maxLooks = 4;

export function createLongCalls(
  ctx: Context,
  sessions: { byId(sessionId: string): Promise<Omit<Caller, "request"> | null> },
) {
  const all = new Set<Watched>();
  let changes = 0;
  let lookers = 0;

  ctx.bus.on("sessionsEnded", ({ sessionIds }) => {
    const ended = new Set(sessionIds);
    for (const one of all) if (ended.has(one.caller.sessionId)) end(one, new AppError(errorCode.unauthorized));
  });
  ctx.bus.on("rightsChanged", changed);
  ctx.bus.on("entityChanged", (event) => {
    if (takesAway(event)) changed();
  });

  function changed() {
    changes += 1;
    startLooking();
  }

  function startLooking() {
    while (lookers < maxLooks && lookers < all.size) {
      lookers += 1;
      void look();
    }
  }

  async function look() {
    // What one use case announces comes within one turn of the loop.
    await new Promise((resolve) => setImmediate(resolve));
    for (let one = next(); one; one = next()) {
      one.isAtWork = true;
      one.seen = changes;
      // A call whose rights can't be read does not go on either.
      await present(one.caller)
        .then((caller) => one.check(caller))
        .catch((error: unknown) => end(one, error));
      one.isAtWork = false;
    }
    // In the same turn as the last search: no change can slip in between.
    lookers -= 1;
  }

  const next = () => all.values().find((one) => one.seen !== changes && !one.isAtWork);

  async function present(caller: Caller): Promise<Caller> {
    const actor = await sessions.byId(caller.sessionId);
    if (!actor) throw new AppError(errorCode.unauthorized);
    return { ...actor, request: caller.request };
  }

  function end(one: Watched, reason: unknown) {
    all.delete(one);
    one.ender.abort(reason);
  }

  return {
    /** Watches until `over`. Throws 106 when the session has ended already. */
    async begin(caller: Caller, whenOver: (over: () => void) => void): Promise<LongCall> {
      const ender = new AbortController();
      const one: Watched = { caller, ender, check: () => undefined, since: changes, seen: changes, isAtWork: false };
      // First in the list, then asked who it is: an end in between is noticed.
      all.add(one);
      whenOver(() => all.delete(one));
      one.caller = await present(caller).catch((error: unknown) => {
        all.delete(one);
        throw error;
      });
      ender.signal.throwIfAborted();
      return {
        caller: one.caller,
        signal: ender.signal,
        reliesOn(check) {
          one.check = check;
          one.seen = one.since;
          if (one.seen !== changes) startLooking();
        },
      };
    },
    /** Events of other processes may have been lost: everybody is looked at. */
    missed: changed,
  };
}

/** Can anything have become invisible to anybody by this? */
function takesAway({ type, op, ownerBefore, ownerAfter, presence }: EntityChanged): boolean {
  if (op === "create" || presence) return false;
  // Sensors announce every connection and every answer.
  if (type === "sensor" || type === "measurement") return op === "delete" || ownerBefore !== ownerAfter;
  return type !== "init-token";
}

/** However the answer ends, and at once if no one waits for it any more. */
export function whenOver({ raw }: FastifyReply, leave: () => void): void {
  if (raw.destroyed) leave();
  else raw.once("close", leave);
}

/** Aborted when the client has left before it had its answer, with a refusal that no one reads. */
export function leavingOf(reply: FastifyReply): AbortSignal {
  const left = new AbortController();
  whenOver(reply, () => {
    if (!reply.raw.writableFinished) left.abort(new AppError(errorCode.invalidArgument, { reason: "The client left" }));
  });
  return left.signal;
}

/** Sends the stream. When `ended` is aborted it fails with the reason, or is broken off, so that it is never taken for whole. */
export function sendWhileAllowed(reply: FastifyReply, stream: Readable, ended: AbortSignal): void {
  ended.throwIfAborted();
  ended.addEventListener("abort", () => {
    if (reply.raw.headersSent) reply.raw.destroy();
    else stream.destroy(ended.reason as Error);
  });
  void reply.send(stream);
}
