// Starts, changes and ends the session of the page (AU-08, AU-09).
import { getSessionUser, login as loginCall } from "@psp/contract/auth/auth.api.ts";
import type { SessionUser } from "@psp/contract/auth/auth.ts";
import type { Actor } from "@psp/contract/permission/can.ts";
import { type Dispatch, type SetStateAction, startTransition } from "react";
import { call, CallError, sessionEndedText } from "../call.ts";
import { cancelPendingLogout, type LiveChannel, type LiveState, openLiveChannel } from "../live.ts";
import { refetchAffectedCounts } from "../live-counts.ts";
import { applyLiveMessages, queryClient } from "../query-client.ts";
import { config } from "../config.ts";
import { passOnVehicle } from "../watch.ts";
import type { useToasts } from "../../ui/feedback/Toasts.tsx";
import { isAnythingUnsaved } from "../../ui/form/DirtyGuard.ts";
import { dropDraftsOfOthers, dropAllDrafts } from "./drafts.ts";

export type SessionState =
  | { status: "loading" }
  | { status: "signedOut"; after: "start" | "logout" | "expiry" }
  | { status: "unreachable" }
  | { status: "signedIn"; user: SessionUser; actor: Actor };

export function toActor({ _id, parentAccounts, role, permissions }: SessionUser): Actor {
  return { id: _id, parentAccounts, roleId: role?._id ?? null, permissions };
}

const signedIn = (user: SessionUser): SessionState => ({ status: "signedIn", user, actor: toActor(user) });

/** Keeps the state object if the user hasn't changed, because a new object would render everything again. */
const signedInAfter = (before: SessionState, user: SessionUser): SessionState =>
  before.status === "signedIn" && JSON.stringify(before.user) === JSON.stringify(user) ? before : signedIn(user);

/** Toast when another account has logged in, and unsaved input is lost. */
const otherAccount = (former: string, present: string) => ({
  title: `You are now logged in as ${present}.`,
  text: `Unsaved changes of ${former} were discarded.`,
});

/** Without a session, skips loading the user, because the request would fail and browsers log failed requests. */
export function getInitialState(): SessionState {
  return config.session === false ? { status: "signedOut", after: "start" } : { status: "loading" };
}

type SessionScreen = {
  setState: Dispatch<SetStateAction<SessionState>>;
  setLoginAsked: (isAsked: boolean) => void;
  /** Called when the same user has logged in again. The live channel must reconnect. */
  onReturn: () => void;
  toasts: ReturnType<typeof useToasts>;
};

export type SessionControl = {
  readonly screen: SessionScreen;
  /** Incremented on sign-in and sign-out, to ignore outdated responses. */
  epoch: number;
  isLeaving: boolean;
  /** The actor for whom the cached data was fetched, as JSON; null if nothing is cached. */
  fetchedFor: string | null;
  /** The signed-in user. Kept if the session ends but the page stays open because of unsaved input. */
  present: SessionUser | null;
  /** Whether the session of `present` has ended, even if the login dialog was dismissed. */
  isOver: boolean;
  channel: LiveChannel | null;
  readonly pendingWrites: ((why: string | null) => void)[];
};

export const createSessionControl = (screen: SessionScreen): SessionControl => ({
  screen,
  epoch: 0,
  isLeaving: false,
  fetchedFor: null,
  present: null,
  isOver: false,
  channel: null,
  pendingWrites: [],
});

/** Repeats the waiting writes if `why` is null. Otherwise, fails them with this reason. */
export function settlePendingWrites(control: SessionControl, why: string | null): void {
  control.screen.setLoginAsked(false);
  for (const resolve of control.pendingWrites.splice(0)) resolve(why);
}

function askLogin(control: SessionControl): void {
  control.isOver = true;
  control.screen.setLoginAsked(true);
}

function enter(control: SessionControl, user: SessionUser): void {
  control.fetchedFor = JSON.stringify(toActor(user));
  control.present = user;
  // A transition, so that the page stays responsive.
  startTransition(() => control.screen.setState((before) => signedInAfter(before, user)));
}

function arrive(control: SessionControl, user: SessionUser): void {
  const { present: before, isOver: wasOver, screen } = control;
  control.isOver = false;
  dropDraftsOfOthers(user._id);
  if (before?._id === user._id) {
    enter(control, user);
    if (wasOver) screen.onReturn();
    void queryClient.invalidateQueries();
    return settlePendingWrites(control, null);
  }
  // Another account has logged in, so the cached data must not be shown.
  queryClient.clear();
  const { title, text } = otherAccount(before?.name ?? "", user.name);
  settlePendingWrites(control, text);
  if (before !== null) screen.toasts.error({ title, text });
  enter(control, user);
}

export function endPageSession(control: SessionControl, how?: "logout"): void {
  control.epoch += 1;
  control.channel?.stop();
  control.channel = null;
  // Public pages keep their data.
  if (control.present !== null) queryClient.clear();
  control.fetchedFor = null;
  control.present = null;
  control.isOver = false;
  const left = control.isLeaving ? "logout" : how;
  if (left === "logout") dropAllDrafts();
  settlePendingWrites(control, sessionEndedText);
  control.screen.setState((before) => ({
    status: "signedOut",
    after: left ?? (before.status === "signedIn" ? "expiry" : "start"),
  }));
}

/** Call when the session has ended. Keeps the input of users who are still editing. */
export function onSessionLost(control: SessionControl): void {
  const holds = isAnythingUnsaved() || control.pendingWrites.length > 0;
  if (control.present === null || control.isLeaving || !holds) return endPageSession(control);
  // If the user has dismissed the login dialog, only the next write opens it again.
  if (!control.isOver) askLogin(control);
}

/**
 * Waits until the user has logged in again. Resolves to null if the write should be repeated, otherwise to the reason
 * why it failed.
 */
export function waitForLogin(control: SessionControl): Promise<string | null> {
  if (control.present === null || control.isLeaving) {
    endPageSession(control);
    return Promise.resolve(sessionEndedText);
  }
  askLogin(control);
  return new Promise((resolve) => control.pendingWrites.push(resolve));
}

export async function reloadSession(control: SessionControl): Promise<void> {
  const asked = control.epoch;
  try {
    const user = await call(getSessionUser);
    if (asked !== control.epoch) return;
    const { present, isOver, fetchedFor: before } = control;
    if (isOver || (present !== null && present._id !== user._id)) return arrive(control, user);
    enter(control, user);
    // Other rights mean other data, so everything is refetched (AU-09).
    if (before !== null && before !== control.fetchedFor) void queryClient.invalidateQueries();
  } catch (error) {
    if (asked !== control.epoch) return;
    if (error instanceof CallError && error.status === 401) return;
    control.screen.setState((before) => (before.status === "signedIn" ? before : { status: "unreachable" }));
  }
}

/** Hides data immediately after rights were lost. */
function loseRights(control: SessionControl): void {
  control.fetchedFor = null;
  void queryClient.resetQueries();
  void reloadSession(control);
}

export async function logIn(control: SessionControl, email: string, password: string): Promise<void> {
  const { user } = await call(loginCall, { body: { email, password } });
  cancelPendingLogout();
  control.epoch += 1;
  arrive(control, user);
}

export async function endSessionWith<T>(control: SessionControl, work: () => Promise<T>): Promise<T> {
  control.isLeaving = true;
  try {
    const done = await work();
    endPageSession(control);
    return done;
  } finally {
    control.isLeaving = false;
  }
}

/** Updates cache and session when live messages arrive. Returns a function that stops the updates (AU-09). */
export function followLiveChannel(control: SessionControl, userId: string | null, setLive: (live: LiveState) => void) {
  let wasDown = false;
  const reloadAll = () => {
    void queryClient.invalidateQueries();
    void reloadSession(control);
  };
  const channel = openLiveChannel({
    onState(next) {
      setLive(next);
      // Live messages don't update everything, e.g. totals, so all data is refetched.
      if (next === "open" && wasDown) reloadAll();
      wasDown = next === "down" || (wasDown && next !== "open");
    },
    onMessages(messages) {
      applyLiveMessages(queryClient, messages);
      // The user's own name or role may have changed.
      if (messages.some(({ type, obj }) => type === "role" || (type === "account" && obj._id === userId)))
        void reloadSession(control);
    },
    onCounts: (message) => refetchAffectedCounts(queryClient, [message]),
    onVehicle: passOnVehicle,
    onResync: reloadAll,
    onEnded: (reason) => (reason === "session" ? onSessionLost(control) : loseRights(control)),
  });
  control.channel = channel;
  return () => channel.stop();
}
