// Leases: what stays open under a session or a right holds one and ends with it. The only listener to ended sessions and changed
// rights (ADR 0013).
import { errorCode } from "@psp/contract/errors.ts";
import { AppError } from "../kit/app-error.ts";
import type { Bus, BusEvents, EntityChanged } from "../kit/bus.ts";

/** Something by which a right or a session can have been lost. `gap`: events of other processes may be missing. */
export type Change =
  | ({ kind: "sessions" } & BusEvents["sessionsEnded"])
  | ({ kind: "rights" } & BusEvents["rightsChanged"])
  | ({ kind: "displays" } & BusEvents["displaysRevoked"])
  | { kind: "entity"; event: EntityChanged }
  | { kind: "gap" };

export type Terms = {
  /** The session under which it is held; null for a display, which has a token instead. */
  sessionId: string | null;
  /** What the change means: nothing, that `check` has to be run, or the end. Not called for the end of sessions. */
  affectedBy(change: Exclude<Change, { kind: "sessions" }>): "no" | "check" | AppError;
  /** Throws when the right is gone. Of one lease, one check runs at a time. */
  check(): Promise<unknown>;
  /** Called once: with 106 when the session ended, else with what `affectedBy` or `check` found. */
  end(reason: unknown): void;
};
export type Lease = {
  /** Runs `check` soon. */
  recheck(): void;
  /** What was held is over by itself. */
  release(): void;
};

type Held = { terms: Terms; isAtWork: boolean };

/** Checks at the same time: a slow one must not delay the others. */
const maxChecks = 8;

export type Leases = ReturnType<typeof createLeases>;

export function createLeases({ bus }: { bus: Bus }) {
  const held = new Set<Held>();
  /** Leases to be checked, in the order in which they were affected. */
  const due = new Set<Held>();
  const caches: ((change: Change) => void)[] = [];
  let checkers = 0;

  bus.on("sessionsEnded", (event) => {
    for (const forget of caches) forget({ kind: "sessions", ...event });
    const ended = new Set<string | null>(event.sessionIds);
    for (const one of held) if (ended.has(one.terms.sessionId)) end(one, new AppError(errorCode.unauthorized));
  });
  bus.on("rightsChanged", (event) => changed({ kind: "rights", ...event }));
  bus.on("displaysRevoked", (event) => changed({ kind: "displays", ...event }));
  bus.on("entityChanged", (event) => {
    if (canTakeAway(event)) changed({ kind: "entity", event });
  });

  function changed(change: Exclude<Change, { kind: "sessions" }>) {
    for (const forget of caches) forget(change);
    for (const one of held) {
      const effect = one.terms.affectedBy(change);
      if (effect === "check") due.add(one);
      else if (effect !== "no") end(one, effect);
    }
    startChecking();
  }

  function startChecking() {
    while (checkers < maxChecks && checkers < due.size) {
      checkers += 1;
      void checkDue();
    }
  }

  async function checkDue() {
    // What one use case announces comes within one turn of the loop.
    await new Promise((resolve) => setImmediate(resolve));
    for (let one = next(); one; one = next()) {
      due.delete(one);
      one.isAtWork = true;
      // What can't be checked does not stay open either.
      await one.terms.check().catch((error: unknown) => end(one, error));
      one.isAtWork = false;
    }
    // In the same turn as the last search: no change can slip in between.
    checkers -= 1;
  }

  const next = () => due.values().find((one) => !one.isAtWork);

  function end(one: Held, reason: unknown) {
    if (!held.delete(one)) return;
    due.delete(one);
    one.terms.end(reason);
  }

  return {
    hold(terms: Terms): Lease {
      const one: Held = { terms, isAtWork: false };
      held.add(one);
      return {
        recheck() {
          if (!held.has(one)) return;
          due.add(one);
          startChecking();
        },
        release() {
          held.delete(one);
          due.delete(one);
        },
      };
    },
    /** Notifies a cache of rights of each change, before any lease is checked. */
    beforeChecks: (forget: (change: Change) => void) => void caches.push(forget),
    /** Events of other processes may have been lost: everything is checked. */
    missed: () => changed({ kind: "gap" }),
  };
}

/** Whether anything can have become invisible to anybody by it. */
function canTakeAway({ type, op, ownerBefore, ownerAfter, presence }: EntityChanged): boolean {
  if (op === "create" || presence) return false;
  // Sensors announce every connection and every answer.
  if (type === "sensor" || type === "measurement") return op === "delete" || ownerBefore !== ownerAfter;
  return type !== "init-token";
}
