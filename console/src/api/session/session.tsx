// Context with the session, which is loaded at the start, updated by live messages, and ended by a logout (AU-08, AU-09).
import type { SessionUser } from "@psp/contract/auth/auth.ts";
import type { Actor } from "@psp/contract/permission/can.ts";
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from "react";
import { sessionEndedText, onSessionEnd } from "../call.ts";
import { completePendingLogout, cancelPendingLogout, type LiveState } from "../live.ts";
import { config } from "../config.ts";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { dropInvalidDrafts } from "./drafts.ts";
import {
  getInitialState,
  endPageSession,
  followLiveChannel,
  endSessionWith,
  logIn,
  onSessionLost,
  createSessionControl,
  reloadSession,
  type SessionState,
  settlePendingWrites,
  waitForLogin,
} from "./session-control.ts";
import { openTabChannel, type TabChannel } from "./tabs.ts";

export type Session = {
  state: SessionState;
  /** True if the session has ended with unsaved input. The login is then shown over the page. */
  isLoginAsked: boolean;
  /** Continues without login. Waiting writes fail. */
  dismissLogin(): void;
  /** Throws CallError. */
  login(email: string, password: string): Promise<void>;
  logout(): void;
  /** Runs a request that ends the session, such as closing the account. */
  endSessionWith<T>(work: () => Promise<T>): Promise<T>;
  reload(): Promise<void>;
};

const SessionContext = createContext<Session | null>(null);
/** A separate context, because it changes often and few components use it. */
const LiveContext = createContext<LiveState>("connecting");

export function SessionProvider({ children }: { children: ReactNode }) {
  const [state, setState] = useState(getInitialState);
  const [live, setLive] = useState<LiveState>("connecting");
  const [isLoginAsked, setLoginAsked] = useState(false);
  const [returns, setReturns] = useState(0);
  const toasts = useToasts();
  const [control] = useState(() =>
    createSessionControl({ setState, setLoginAsked, onReturn: () => setReturns((count) => count + 1), toasts }),
  );
  const tabs = useRef<TabChannel | null>(null);
  const isSignedIn = state.status === "signedIn";
  const userId = state.status === "signedIn" ? state.user._id : null;

  useEffect(() => {
    onSessionEnd({ onOther: () => onSessionLost(control), onSave: () => waitForLogin(control) });
    const opened = openTabChannel({
      onLogin: () => void reloadSession(control),
      onLogout: () => endPageSession(control, "logout"),
    });
    tabs.current = opened;
    dropInvalidDrafts();
    if (config.session === false) cancelPendingLogout();
    else void completePendingLogout().then(() => reloadSession(control));
    return () => opened.close();
  }, [control]);

  useEffect(() => {
    if (isSignedIn) return followLiveChannel(control, userId, setLive);
  }, [control, isSignedIn, userId, returns]);

  const session = useMemo<Session>(
    () => ({
      state,
      isLoginAsked,
      reload: () => reloadSession(control),
      dismissLogin: () => settlePendingWrites(control, sessionEndedText),
      async login(email, password) {
        await logIn(control, email, password);
        tabs.current?.sayLogin();
      },
      logout() {
        control.channel?.logout();
        endPageSession(control, "logout");
        tabs.current?.sayLogout();
      },
      endSessionWith: (work) => endSessionWith(control, work),
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

/** Use only below routes that require login. The same applies to `useUser`. */
export const useActor = (): Actor => useSignedIn().actor;
export const useUser = (): SessionUser => useSignedIn().user;
