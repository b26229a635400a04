// Who is signed in: found out once at the start, kept current by the live channel, ended by logout (AU-08, AU-09).
import { getSessionUser, login as loginCall } from "@psp/contract/auth/auth.api.ts";
import type { SessionUser } from "@psp/contract/auth/auth.ts";
import type { Actor } from "@psp/contract/permission/can.ts";
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from "react";
import { call, CallError, whenUnauthorized } from "../api/call.ts";
import { finishLogout, forgetLogout, type LiveChannel, type LiveState, openLiveChannel } from "../api/live.ts";
import { applyLiveMessages, queryClient } from "../api/query-client.ts";
import { config } from "../config.ts";

export type SessionState =
  | { status: "loading" }
  | { status: "signedOut"; after: "start" | "logout" | "expiry" }
  | { status: "unreachable" }
  | { status: "signedIn"; user: SessionUser; actor: Actor };

export type Session = {
  state: SessionState;
  live: LiveState;
  /** Signs in; throws CallError. */
  login(email: string, password: string): Promise<void>;
  logout(): void;
  /** Does what ends this session on the server, such as closing one's account: a sign-out, whatever reports it first. */
  leaveBy<T>(work: () => Promise<T>): Promise<T>;
  /** Asks again who is signed in. */
  reload(): Promise<void>;
};

const SessionContext = createContext<Session | null>(null);

export function toActor({ _id, parentAccounts, role, permissions }: SessionUser): Actor {
  return { id: _id, parentAccounts, roleId: role?._id ?? null, permissions };
}

const signedIn = (user: SessionUser): SessionState => ({ status: "signedIn", user, actor: toActor(user) });

/** Asking in vain would be a failed call, which browsers write into their console. */
function atTheStart(): SessionState {
  return config.session === false ? { status: "signedOut", after: "start" } : { status: "loading" };
}

export function SessionProvider({ children }: { children: ReactNode }) {
  const [state, setState] = useState(atTheStart);
  const [live, setLive] = useState<LiveState>("connecting");
  const channel = useRef<LiveChannel | null>(null);

  // Counts sign-ins and sign-outs: an answer that was asked for before the last one is too late.
  const epoch = useRef(0);
  const leaving = useRef(false);
  // The actor that everything on the screen was fetched for, as a text; null while nothing was.
  const fetchedFor = useRef<string | null>(null);
  const enter = (user: SessionUser) => {
    fetchedFor.current = JSON.stringify(toActor(user));
    setState(signedIn(user));
  };
  const end = (how?: "logout") => {
    epoch.current += 1;
    channel.current?.stop();
    channel.current = null;
    fetchedFor.current = null;
    queryClient.clear();
    const left = leaving.current ? "logout" : how;
    setState((before) => ({ status: "signedOut", after: left ?? (before.status === "signedIn" ? "expiry" : "start") }));
  };
  const reload = async () => {
    const asked = epoch.current;
    try {
      const user = await call(getSessionUser);
      if (asked !== epoch.current) return;
      const before = fetchedFor.current;
      enter(user);
      // With other rights there is other data: all of it is asked for again, and menus follow the actor (AU-09).
      if (before !== null && before !== fetchedFor.current) void queryClient.invalidateQueries();
    } catch (error) {
      if (asked !== epoch.current) return;
      if (error instanceof CallError && error.status === 401) return end();
      setState((before) => (before.status === "signedIn" ? before : { status: "unreachable" }));
    }
  };
  const isSignedIn = state.status === "signedIn";
  const userId = state.status === "signedIn" ? state.user._id : null;

  useEffect(() => {
    whenUnauthorized(() => end());
    if (config.session === false) forgetLogout();
    else void finishLogout().then(reload);
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
      onResync() {
        void queryClient.invalidateQueries();
        void reload();
      },
      onEnded(reason) {
        if (reason === "session") return end();
        // Not even for a moment what may not be seen any more.
        fetchedFor.current = null;
        void queryClient.resetQueries();
        void reload();
      },
    });
    channel.current = opened;
    return () => opened.stop();
  }, [isSignedIn, userId]);

  const session = useMemo<Session>(
    () => ({
      state,
      live,
      reload,
      async login(email, password) {
        const { user } = await call(loginCall, { body: { email, password } });
        forgetLogout();
        epoch.current += 1;
        queryClient.clear();
        enter(user);
      },
      logout() {
        channel.current?.logout();
        end("logout");
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
    [state, live],
  );
  return <SessionContext value={session}>{children}</SessionContext>;
}

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("useSession outside of SessionProvider");
  return session;
}

function useSignedIn() {
  const { state } = useSession();
  if (state.status !== "signedIn") throw new Error("No account is signed in");
  return state;
}

/** The signed-in actor; only below a route that asks for login, as `useUser`. */
export const useActor = (): Actor => useSignedIn().actor;
export const useUser = (): SessionUser => useSignedIn().user;
