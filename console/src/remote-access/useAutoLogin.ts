// Requests a token for a device page, and opens the page in a new window (docs/rules/remote-access.md#auto-login).
import { errorCode } from "@psp/contract/errors.ts";
import { callPsconnect } from "@psp/contract/remote-access/remote-access.api.ts";
import { autoLoginLink } from "@psp/contract/remote-access/device-link.ts";
import { useEffect, useRef, useState } from "react";
import { call, CallError } from "../api/call.ts";
import { config } from "../api/config.ts";

export type AutoLoginState =
  | { status: "none" | "pending" | "auto-login-failed" | "asked" | "reason-missing" }
  /** The browser blocked the window. The link is valid for a minute. */
  | { status: "blocked"; link: string };

const failedMs = 5000;
const missing = errorCode.missingArgument;

export const getLinkRoot = () => ({ protocol: location.protocol, port: location.port, root: config.deviceLinkRoot });

type Ask = { mayEdit: boolean; reason: string; minutes: number };

export function useAutoLogin(id: string) {
  const [state, setState] = useState<AutoLoginState>({ status: "none" });
  const open = useRef<AbortController | null>(null);
  useEffect(() => () => open.current?.abort(), [id]);
  useEffect(() => {
    if (state.status !== "auto-login-failed") return undefined;
    const timer = setTimeout(() => setState({ status: "none" }), failedMs);
    return () => clearTimeout(timer);
  }, [state]);

  async function start({ mayEdit, reason, minutes }: Ask): Promise<void> {
    if (state.status === "pending") return;
    const { signal } = (open.current = new AbortController());
    setState({ status: "pending" });
    const { edit, view } = config.autoLogin;
    try {
      const params = { service: "device-hmi", user: mayEdit ? edit : view, reason, minutes };
      const { result } = await call(callPsconnect, {
        params: { id },
        body: { func: "getAutoLoginToken", params },
        signal,
      });
      if (result === null) return setState({ status: "asked" });
      const link = autoLoginLink(getLinkRoot(), id, result);
      const opened = window.open(link, "_blank");
      if (opened === null) return setState({ status: "blocked", link });
      // Device pages are not trusted, so they must not access this window.
      opened.opener = null;
      setState({ status: "none" });
    } catch (error) {
      if (signal.aborted) return;
      const lacksReason = error instanceof CallError && error.code === missing;
      setState({ status: lacksReason ? "reason-missing" : "auto-login-failed" });
    }
  }
  return { state, start, settle: () => setState({ status: "none" }) };
}
