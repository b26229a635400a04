// What happens to a page when its session begins, changes or ends (AU-08, AU-09).
import { getSessionUser, login as loginCall } from "@psp/contract/auth/auth.api.ts";
import type { SessionUser } from "@psp/contract/auth/auth.ts";
import type { Actor } from "@psp/contract/permission/can.ts";
import { type Dispatch, type SetStateAction, startTransition } from "react";
import { call, CallError, sessionEndedText } from "../api/call.ts";
import { forgetLogout, type LiveChannel, type LiveState, openLiveChannel } from "../api/live.ts";
import { applyCounts } from "../api/live-counts.ts";
import { applyLiveMessages, queryClient } from "../api/query-client.ts";
import { config } from "../config.ts";
import type { useToasts } from "../ui/feedback/Toasts.tsx";
import { isAnythingUnsaved } from "../ui/form/DirtyGuard.ts";
import { dropOthersDrafts, forgetDrafts } from "./drafts.ts";

export type SessionState =
  | { status: "loading" }
  | { status: "signedOut"; after: "start" | "logout" | "expiry" }
  | { status: "unreachable" }
  | { status: "signedIn"; user: SessionUser; actor: Actor };

export function toActor({ _id, parentAccounts, role, permissions }: SessionUser): Actor {
  return { id: _id, parentAccounts, roleId: role?._id ?? null, permissions };
}

const signedIn = (user: SessionUser): SessionState => ({ status: "signedIn", user, actor: toActor(user) });

/** The state as it was where nothing of the person changed: everything on the screen depends on it. */
const signedInAfter = (before: SessionState, user: SessionUser): SessionState =>
  before.status === "signedIn" && JSON.stringify(before.user) === JSON.stringify(user) ? before : signedIn(user);

/** What is said when another account signs in where one had not saved. */
const otherAccount = (former: string, present: string) => ({
  title: `You are logged in as ${present} now.`,
  text: `What ${former} had not saved was discarded.`,
});

/** Asking in vain would be a failed call, which browsers write into their console. */
export function atTheStart(): SessionState {
  return config.session === false ? { status: "signedOut", after: "start" } : { status: "loading" };
}

/** What of the screen follows the session. */
type SessionScreen = {
  setState: Dispatch<SetStateAction<SessionState>>;
  setLoginAsked: (isAsked: boolean) => void;
  /** The same person is back: the live channel of the ended session is none any more. */
  onReturn: () => void;
  toasts: ReturnType<typeof useToasts>;
};

/** What the page knows of its session beside what it shows. */
export type SessionControl = {
  readonly screen: SessionScreen;
  /** Counts sign-ins and sign-outs: an answer that was asked for before the last one is too late. */
  epoch: number;
  isLeaving: boolean;
  /** The actor that everything on the screen was fetched for, as a text; null while nothing was. */
  fetchedFor: string | null;
  /** Who is signed in as far as the page knows; who that was stays known while the login is asked for again. */
  present: SessionUser | null;
  /** Whether the session of `present` has ended, even after the login was dismissed. */
  isOver: boolean;
  channel: LiveChannel | null;
  /** The saves that wait for a login over their page. */
  readonly waiting: ((why: string | null) => void)[];
};

export const newSessionControl = (screen: SessionScreen): SessionControl => ({
  screen,
  epoch: 0,
  isLeaving: false,
  fetchedFor: null,
  present: null,
  isOver: false,
  channel: null,
  waiting: [],
});

/** The saves that wait are made again, or fail for this reason. */
export function settle(control: SessionControl, why: string | null): void {
  control.screen.setLoginAsked(false);
  for (const resolve of control.waiting.splice(0)) resolve(why);
}

function askLogin(control: SessionControl): void {
  control.isOver = true;
  control.screen.setLoginAsked(true);
}

function enter(control: SessionControl, user: SessionUser): void {
  control.fetchedFor = JSON.stringify(toActor(user));
  control.present = user;
  // A whole page follows from it: drawn in slices, between which keys and taps are answered.
  startTransition(() => control.screen.setState((before) => signedInAfter(before, user)));
}

/** Somebody has signed in, here or in another tab. */
function arrive(control: SessionControl, user: SessionUser): void {
  const { present: before, isOver: wasOver, screen } = control;
  control.isOver = false;
  dropOthersDrafts(user._id);
  if (before?._id === user._id) {
    enter(control, user);
    if (wasOver) screen.onReturn();
    void queryClient.invalidateQueries();
    return settle(control, null);
  }
  // What the page shows and what was typed into it belongs to somebody else.
  queryClient.clear();
  const { title, text } = otherAccount(before?.name ?? "", user.name);
  settle(control, text);
  if (before !== null) screen.toasts.error({ title, text });
  enter(control, user);
}

export function end(control: SessionControl, how?: "logout"): void {
  control.epoch += 1;
  control.channel?.stop();
  control.channel = null;
  // A page that needs no sign-in goes on with what it has asked for.
  if (control.present !== null) queryClient.clear();
  control.fetchedFor = null;
  control.present = null;
  control.isOver = false;
  const left = control.isLeaving ? "logout" : how;
  if (left === "logout") forgetDrafts();
  settle(control, sessionEndedText);
  control.screen.setState((before) => ({
    status: "signedOut",
    after: left ?? (before.status === "signedIn" ? "expiry" : "start"),
  }));
}

/** The session turned out to be over. Nothing that was typed is taken away from anybody who is still at it. */
export function lose(control: SessionControl): void {
  const holds = isAnythingUnsaved() || control.waiting.length > 0;
  if (control.present === null || control.isLeaving || !holds) return end(control);
  // Who closed the login is asked again by the next save only.
  if (!control.isOver) askLogin(control);
}

/** A save found the session over. Resolves with null to make it again, or with the reason why it fails. */
export function waitForLogin(control: SessionControl): Promise<string | null> {
  if (control.present === null || control.isLeaving) {
    end(control);
    return Promise.resolve(sessionEndedText);
  }
  askLogin(control);
  return new Promise((resolve) => control.waiting.push(resolve));
}

export async function reload(control: SessionControl): Promise<void> {
  const asked = control.epoch;
  try {
    const user = await call(getSessionUser);
    if (asked !== control.epoch) return;
    const { present, isOver, fetchedFor: before } = control;
    if (isOver || (present !== null && present._id !== user._id)) return arrive(control, user);
    enter(control, user);
    // With other rights there is other data: all of it is asked for again, and menus follow the actor (AU-09).
    if (before !== null && before !== control.fetchedFor) void queryClient.invalidateQueries();
  } catch (error) {
    if (asked !== control.epoch) return;
    // What the call has said already.
    if (error instanceof CallError && error.status === 401) return;
    control.screen.setState((before) => (before.status === "signedIn" ? before : { status: "unreachable" }));
  }
}

/** Not even for a moment what may not be seen any more. */
function loseRights(control: SessionControl): void {
  control.fetchedFor = null;
  void queryClient.resetQueries();
  void reload(control);
}

export async function logIn(control: SessionControl, email: string, password: string): Promise<void> {
  const { user } = await call(loginCall, { body: { email, password } });
  forgetLogout();
  control.epoch += 1;
  arrive(control, user);
}

export async function leaveBy<T>(control: SessionControl, work: () => Promise<T>): Promise<T> {
  control.isLeaving = true;
  try {
    const done = await work();
    end(control);
    return done;
  } finally {
    control.isLeaving = false;
  }
}

/** Follows the live channel until the returned function is called: the cache and the session keep up with it (AU-09). */
export function followChannel(control: SessionControl, userId: string | null, setLive: (live: LiveState) => void) {
  let wasDown = false;
  const reloadAll = () => {
    void queryClient.invalidateQueries();
    void reload(control);
  };
  const channel = openLiveChannel({
    onState(next) {
      setLive(next);
      // Sums and other answers that no message carries may have changed meanwhile.
      if (next === "open" && wasDown) reloadAll();
      wasDown = next === "down" || (wasDown && next !== "open");
    },
    onMessages(messages) {
      applyLiveMessages(queryClient, messages);
      // Name or role of the signed-in account itself: ask who we are now.
      if (messages.some(({ type, obj }) => type === "role" || (type === "account" && obj._id === userId)))
        void reload(control);
    },
    onCounts: (message) => applyCounts(queryClient, [message]),
    onResync: reloadAll,
    onEnded: (reason) => (reason === "session" ? lose(control) : loseRights(control)),
  });
  control.channel = channel;
  return () => channel.stop();
}
