// Everything that stays open under a session or right acquires a lease, and closes when that session or right ends. Only this file
// listens to ended sessions and changed rights (ADR 0013).
import { errorCode } from "@psp/contract/errors.ts";
import { AppError } from "../kit/app-error.ts";
import type { Bus, BusEvents, EntityChanged } from "../kit/bus.ts";

/** A possible loss of a right or session. `gap`: events of other processes may be missing. */
export type AccessChange =
  | ({ kind: "sessions" } & BusEvents["sessionsEnded"])
  | ({ kind: "rights" } & BusEvents["rightsChanged"])
  | ({ kind: "displays" } & BusEvents["displaysRevoked"])
  | { kind: "entity"; event: EntityChanged }
  | { kind: "gap" };

export type LeaseTerms = {
  /** Null for a display, which has a token instead. */
  sessionId: string | null;
  /**
   * Returns how a change affects the lease: not at all, it must be checked, or it ends with an error. Not called for ended sessions.
   */
  affectedBy(change: Exclude<AccessChange, { kind: "sessions" }>): "no" | "check" | AppError;
  /** Throws if the right is lost. Never runs concurrently for one lease. */
  check(): Promise<unknown>;
  /** Called once, with error 106 if the session ended, otherwise with the error from `affectedBy` or `check`. */
  end(reason: unknown): void;
};
export type Lease = {
  recheck(): void;
  /** Call it when the work is finished, so that the lease is not checked any more. */
  release(): void;
};

type HeldLease = { terms: LeaseTerms; isChecking: boolean };

/** Concurrent checks. More than one, so that a slow check does not delay the others. */
const maxChecks = 8;

export type Leases = ReturnType<typeof createLeases>;

export function createLeases({ bus }: { bus: Bus }) {
  const held = new Set<HeldLease>();
  const due = new Set<HeldLease>();
  const caches: ((change: AccessChange) => void)[] = [];
  let checkers = 0;

  bus.on("sessionsEnded", (event) => {
    for (const forget of caches) forget({ kind: "sessions", ...event });
    const ended = new Set<string | null>(event.sessionIds);
    for (const one of held) if (ended.has(one.terms.sessionId)) end(one, new AppError(errorCode.unauthorized));
  });
  bus.on("rightsChanged", (event) => changed({ kind: "rights", ...event }));
  bus.on("displaysRevoked", (event) => changed({ kind: "displays", ...event }));
  bus.on("entityChanged", (event) => {
    if (canHideObjects(event)) changed({ kind: "entity", event });
  });

  function changed(change: Exclude<AccessChange, { kind: "sessions" }>) {
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
    // Waits one turn of the event loop, in which all events of a use case arrive, to check each lease once.
    await new Promise((resolve) => setImmediate(resolve));
    for (let one = next(); one; one = next()) {
      due.delete(one);
      one.isChecking = true;
      await one.terms.check().catch((error: unknown) => end(one, error));
      one.isChecking = false;
    }
    // There was no await since the last call of `next`, so no change is missed.
    checkers -= 1;
  }

  const next = () => due.values().find((one) => !one.isChecking);

  function end(one: HeldLease, reason: unknown) {
    if (!held.delete(one)) return;
    due.delete(one);
    one.terms.end(reason);
  }

  return {
    acquire(terms: LeaseTerms): Lease {
      const one: HeldLease = { terms, isChecking: false };
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
    /** Registers a cache of rights, which is cleared before any lease is checked. */
    registerCache: (forget: (change: AccessChange) => void) => void caches.push(forget),
    /** Checks all leases. Call it when events of other processes may have been lost. */
    recheckAll: () => changed({ kind: "gap" }),
  };
}

function canHideObjects({ type, op, ownerBefore, ownerAfter, presence }: EntityChanged): boolean {
  if (op === "create" || presence) return false;
  // Sensors and locations publish frequent updates, but only a deletion or a new owner can hide them.
  if (type === "sensor" || type === "measurement") return op === "delete" || ownerBefore !== ownerAfter;
  return type !== "init-token" && type !== "event";
}
