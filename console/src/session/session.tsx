// Who is signed in: found out once at the start, kept current by the live channel, ended by logout (AU-08, AU-09).
import { getSessionUser, login as loginCall } from "@psp/contract/auth/auth.api.ts";
import type { SessionUser } from "@psp/contract/auth/auth.ts";
import type { Actor } from "@psp/contract/permission/can.ts";
import {
  createContext,
  type ReactNode,
  startTransition,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { call, CallError, sessionEndedText, whenSessionOver } from "../api/call.ts";
import { finishLogout, forgetLogout, type LiveChannel, type LiveState, openLiveChannel } from "../api/live.ts";
import { applyCounts } from "../api/live-counts.ts";
import { applyLiveMessages, queryClient } from "../api/query-client.ts";
import { config } from "../config.ts";
import { useToasts } from "../ui/feedback/Toasts.tsx";
import { isAnythingUnsaved } from "../ui/form/DirtyGuard.ts";
import { dropForgottenDrafts, dropOthersDrafts, forgetDrafts } from "./drafts.ts";
import { openTabs, type Tabs } from "./tabs.ts";

export type SessionState =
  | { status: "loading" }
  | { status: "signedOut"; after: "start" | "logout" | "expiry" }
  | { status: "unreachable" }
  | { status: "signedIn"; user: SessionUser; actor: Actor };

export type Session = {
  state: SessionState;
  /** The session has ended while something was unsaved: the login is asked for over what is on the screen. */
  isLoginAsked: boolean;
  /** The person goes on without a login: what waits for it fails, the page stays. */
  dismissLogin(): void;
  /** Signs in, at first or again over a page; throws CallError. */
  login(email: string, password: string): Promise<void>;
  logout(): void;
  /** Does what ends this session on the server, such as closing one's account: a sign-out, whatever reports it first. */
  leaveBy<T>(work: () => Promise<T>): Promise<T>;
  /** Asks again who is signed in. */
  reload(): Promise<void>;
};

const SessionContext = createContext<Session | null>(null);
/** Apart from the session: it changes at every start, and most of a page does not care. */
const LiveContext = createContext<LiveState>("connecting");

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
function atTheStart(): SessionState {
  return config.session === false ? { status: "signedOut", after: "start" } : { status: "loading" };
}

export function SessionProvider({ children }: { children: ReactNode }) {
  const [state, setState] = useState(atTheStart);
  const [live, setLive] = useState<LiveState>("connecting");
  const channel = useRef<LiveChannel | null>(null);
  const toasts = useRef(useToasts());

  // Counts sign-ins and sign-outs: an answer that was asked for before the last one is too late.
  const epoch = useRef(0);
  const leaving = useRef(false);
  // The actor that everything on the screen was fetched for, as a text; null while nothing was.
  const fetchedFor = useRef<string | null>(null);
  // Who is signed in as far as the page knows; who that was stays known while the login is asked for again.
  const present = useRef<SessionUser | null>(null);
  const tabs = useRef<Tabs | null>(null);
  const [isLoginAsked, setLoginAsked] = useState(false);
  // Rises when the same person is back: the live channel of the ended session is none any more.
  const [returns, setReturns] = useState(0);
  const wasOver = useRef(false);
  const waiting = useRef<((why: string | null) => void)[]>([]);
  /** The saves that wait are made again, or fail for this reason. */
  const settle = (why: string | null) => {
    setLoginAsked(false);
    for (const resolve of waiting.current.splice(0)) resolve(why);
  };
  const ask = () => {
    wasOver.current = true;
    setLoginAsked(true);
  };
  const enter = (user: SessionUser) => {
    fetchedFor.current = JSON.stringify(toActor(user));
    present.current = user;
    // A whole page follows from it: drawn in slices, between which keys and taps are answered.
    startTransition(() => setState((before) => signedInAfter(before, user)));
  };
  /** Somebody has signed in, here or in another tab. */
  const arrive = (user: SessionUser) => {
    const before = present.current;
    const wasOverBefore = wasOver.current;
    wasOver.current = false;
    dropOthersDrafts(user._id);
    if (before?._id === user._id) {
      enter(user);
      if (wasOverBefore) setReturns((count) => count + 1);
      void queryClient.invalidateQueries();
      return settle(null);
    }
    // What the page shows and what was typed into it belongs to somebody else.
    queryClient.clear();
    const { title, text } = otherAccount(before?.name ?? "", user.name);
    settle(text);
    if (before !== null) toasts.current.error({ title, text });
    enter(user);
  };
  const end = (how?: "logout") => {
    epoch.current += 1;
    channel.current?.stop();
    channel.current = null;
    // A page that needs no sign-in goes on with what it has asked for.
    if (present.current !== null) queryClient.clear();
    fetchedFor.current = null;
    present.current = null;
    wasOver.current = false;
    const left = leaving.current ? "logout" : how;
    if (left === "logout") forgetDrafts();
    settle(sessionEndedText);
    setState((before) => ({ status: "signedOut", after: left ?? (before.status === "signedIn" ? "expiry" : "start") }));
  };
  /** The session turned out to be over. Nothing that was typed is taken away from anybody who is still at it. */
  const lose = () => {
    const holds = isAnythingUnsaved() || waiting.current.length > 0;
    if (present.current === null || leaving.current || !holds) return end();
    // Who closed the login is asked again by the next save only.
    if (!wasOver.current) ask();
  };
  const reload = async () => {
    const asked = epoch.current;
    try {
      const user = await call(getSessionUser);
      if (asked !== epoch.current) return;
      if (wasOver.current || (present.current !== null && present.current._id !== user._id)) return arrive(user);
      const before = fetchedFor.current;
      enter(user);
      // With other rights there is other data: all of it is asked for again, and menus follow the actor (AU-09).
      if (before !== null && before !== fetchedFor.current) void queryClient.invalidateQueries();
    } catch (error) {
      if (asked !== epoch.current) return;
      // What the call has said already.
      if (error instanceof CallError && error.status === 401) return;
      setState((before) => (before.status === "signedIn" ? before : { status: "unreachable" }));
    }
  };
  const isSignedIn = state.status === "signedIn";
  const userId = state.status === "signedIn" ? state.user._id : null;

  useEffect(() => {
    whenSessionOver({
      onOther: lose,
      onSave() {
        if (present.current === null || leaving.current) {
          end();
          return Promise.resolve(sessionEndedText);
        }
        ask();
        return new Promise((resolve) => waiting.current.push(resolve));
      },
    });
    const opened = openTabs({ onLogin: () => void reload(), onLogout: () => end("logout") });
    tabs.current = opened;
    dropForgottenDrafts();
    if (config.session === false) forgetLogout();
    else void finishLogout().then(reload);
    return () => opened.close();
  }, []);

  useEffect(() => {
    if (!isSignedIn) return;
    let wasDown = false;
    const opened = openLiveChannel({
      onState(next) {
        setLive(next);
        // Sums and other answers that no message carries may have changed meanwhile.
        if (next === "open" && wasDown) {
          void queryClient.invalidateQueries();
          void reload();
        }
        wasDown = next === "down" || (wasDown && next !== "open");
      },
      onMessages(messages) {
        applyLiveMessages(queryClient, messages);
        // Name or role of the signed-in account itself: ask who we are now.
        if (messages.some(({ type, obj }) => type === "role" || (type === "account" && obj._id === userId)))
          void reload();
      },
      onCounts: (message) => applyCounts(queryClient, [message]),
      onResync() {
        void queryClient.invalidateQueries();
        void reload();
      },
      onEnded(reason) {
        if (reason === "session") return lose();
        // Not even for a moment what may not be seen any more.
        fetchedFor.current = null;
        void queryClient.resetQueries();
        void reload();
      },
    });
    channel.current = opened;
    return () => opened.stop();
  }, [isSignedIn, userId, returns]);

  const session = useMemo<Session>(
    () => ({
      state,
      reload,
      isLoginAsked,
      dismissLogin: () => settle(sessionEndedText),
      async login(email, password) {
        const { user } = await call(loginCall, { body: { email, password } });
        forgetLogout();
        epoch.current += 1;
        arrive(user);
        tabs.current?.sayLogin();
      },
      logout() {
        channel.current?.logout();
        end("logout");
        tabs.current?.sayLogout();
      },
      async leaveBy(work) {
        leaving.current = true;
        try {
          const done = await work();
          end();
          return done;
        } finally {
          leaving.current = false;
        }
      },
    }),
    [state, isLoginAsked],
  );
  return (
    <SessionContext value={session}>
      <LiveContext value={live}>{children}</LiveContext>
    </SessionContext>
  );
}

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("useSession outside of SessionProvider");
  return session;
}

/** How the live channel is. */
export const useLiveState = (): LiveState => useContext(LiveContext);

function useSignedIn() {
  const { state } = useSession();
  if (state.status !== "signedIn") throw new Error("No account is signed in");
  return state;
}

/** The signed-in actor; only below a route that asks for login, as `useUser`. */
export const useActor = (): Actor => useSignedIn().actor;
export const useUser = (): SessionUser => useSignedIn().user;
