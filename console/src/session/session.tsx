// Who is signed in: found out once at the start, kept current by the live channel, ended by logout (AU-08, AU-09).
import type { SessionUser } from "@psp/contract/auth/auth.ts";
import type { Actor } from "@psp/contract/permission/can.ts";
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from "react";
import { sessionEndedText, whenSessionOver } from "../api/call.ts";
import { finishLogout, forgetLogout, type LiveState } from "../api/live.ts";
import { config } from "../config.ts";
import { useToasts } from "../ui/feedback/Toasts.tsx";
import { dropForgottenDrafts } from "./drafts.ts";
import {
  atTheStart,
  end,
  followChannel,
  leaveBy,
  logIn,
  lose,
  newSessionControl,
  reload,
  type SessionState,
  settle,
  waitForLogin,
} from "./session-control.ts";
import { openTabs, type Tabs } from "./tabs.ts";

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

export function SessionProvider({ children }: { children: ReactNode }) {
  const [state, setState] = useState(atTheStart);
  const [live, setLive] = useState<LiveState>("connecting");
  const [isLoginAsked, setLoginAsked] = useState(false);
  const [returns, setReturns] = useState(0);
  const toasts = useToasts();
  const [control] = useState(() =>
    newSessionControl({ setState, setLoginAsked, onReturn: () => setReturns((count) => count + 1), toasts }),
  );
  const tabs = useRef<Tabs | null>(null);
  const isSignedIn = state.status === "signedIn";
  const userId = state.status === "signedIn" ? state.user._id : null;

  useEffect(() => {
    whenSessionOver({ onOther: () => lose(control), onSave: () => waitForLogin(control) });
    const opened = openTabs({ onLogin: () => void reload(control), onLogout: () => end(control, "logout") });
    tabs.current = opened;
    dropForgottenDrafts();
    if (config.session === false) forgetLogout();
    else void finishLogout().then(() => reload(control));
    return () => opened.close();
  }, [control]);

  useEffect(() => {
    if (isSignedIn) return followChannel(control, userId, setLive);
  }, [control, isSignedIn, userId, returns]);

  const session = useMemo<Session>(
    () => ({
      state,
      isLoginAsked,
      reload: () => reload(control),
      dismissLogin: () => settle(control, sessionEndedText),
      async login(email, password) {
        await logIn(control, email, password);
        tabs.current?.sayLogin();
      },
      logout() {
        control.channel?.logout();
        end(control, "logout");
        tabs.current?.sayLogout();
      },
      leaveBy: (work) => leaveBy(control, work),
    }),
    [control, state, isLoginAsked],
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

export const useLiveState = (): LiveState => useContext(LiveContext);

function useSignedIn() {
  const { state } = useSession();
  if (state.status !== "signedIn") throw new Error("No account is signed in");
  return state;
}

/** The signed-in actor; only below a route that asks for login, as `useUser`. */
export const useActor = (): Actor => useSignedIn().actor;
export const useUser = (): SessionUser => useSignedIn().user;
