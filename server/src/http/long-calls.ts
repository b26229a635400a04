// Calls that take long: what began with a right ends when the right or the session does, notified by the bus, not by polling; and
// how answers end that flow for a while.
import { errorCode } from "@psp/contract/errors.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller, LongCall, Check } from "../kit/caller.ts";
import type { Leases } from "../open/lease.ts";
import type { Readable } from "node:stream";
import type { FastifyReply } from "fastify";

export type LongCalls = ReturnType<typeof createLongCalls>;

export function createLongCalls(
  leases: Pick<Leases, "hold">,
  sessions: { byId(sessionId: string): Promise<Omit<Caller, "request"> | null> },
) {
  async function present({ sessionId, request }: Caller): Promise<Caller> {
    const actor = await sessions.byId(sessionId);
    if (!actor) throw new AppError(errorCode.unauthorized);
    return { ...actor, request };
  }

  return {
    /** Watches until `over`. Throws 106 when the session has ended already. */
    async begin(caller: Caller, whenOver: (over: () => void) => void): Promise<LongCall> {
      const ender = new AbortController();
      let reliedOn: Check = () => undefined;
      let isAffected = false;
      // Held before it is asked who calls: an end in between is noticed.
      const lease = leases.hold({
        sessionId: caller.sessionId,
        affectedBy(change) {
          isAffected = true;
          return change.kind === "displays" ? "no" : "check";
        },
        check: async () => reliedOn(await present(caller)),
        end: (reason) => ender.abort(reason),
      });
      whenOver(() => lease.release());
      const now = await present(caller).catch((error: unknown) => {
        lease.release();
        throw error;
      });
      ender.signal.throwIfAborted();
      return {
        caller: now,
        signal: ender.signal,
        reliesOn(check) {
          reliedOn = check;
          if (isAffected) lease.recheck();
        },
      };
    },
  };
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
