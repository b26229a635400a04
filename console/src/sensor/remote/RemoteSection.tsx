// Calls a sensor's remote functions one at a time, and shows each with its button or the remaining time (SE-11).
import type { ReplyOf } from "@psp/contract/kit/endpoint.ts";
import { type RemoteFunction, remoteTimeoutMs, requestSensor } from "@psp/contract/sensor/sensor.remote.api.ts";
import { Box, Button, LinearProgress, Typography } from "@mui/material";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { call } from "../../api/call.ts";
import { useFailureToast } from "../../api/useFailure.ts";
import { Disabled } from "../../ui/feedback/Disabled.tsx";
import { remoteText } from "../sensor-page.text.ts";

const tickMs = 200;

type RemoteAnswer = ReplyOf<typeof requestSensor>;
type RemoteRequest<T> = {
  func: RemoteFunction;
  options?: object;
  /** Parses the untrusted response; null if invalid. */
  read: (answer: RemoteAnswer) => T | null;
  /** Title of the error toast; `unreadable` is its text for an invalid response. */
  failed: string;
  unreadable: string;
};
export type RemoteClient = {
  asking: RemoteFunction | null;
  /** Resolves to null if the request failed (a toast shows the error) or the user left the page. */
  request: <T>(request: RemoteRequest<T>) => Promise<T | null>;
};

export function useRemoteClient(id: string): RemoteClient {
  const fail = useFailureToast();
  const [asking, setAsking] = useState<RemoteFunction | null>(null);
  const open = useRef<AbortController | null>(null);
  useEffect(() => () => open.current?.abort(), [id]);
  return {
    asking,
    async request({ func, options, read, failed, unreadable }) {
      const { signal } = (open.current = new AbortController());
      setAsking(func);
      try {
        const data = options === undefined ? "" : btoa(JSON.stringify(options));
        const body = { func, data, timeout: remoteTimeoutMs };
        const result = read(await call(requestSensor, { params: { id }, body, signal }));
        if (result === null) throw new Error(unreadable);
        return result;
      } catch (error) {
        if (!signal.aborted) fail(failed)(error);
        return null;
      } finally {
        if (!signal.aborted) setAsking(null);
      }
    },
  };
}

export const bytesOf = ({ data }: RemoteAnswer) => Uint8Array.from(atob(data), (char) => char.charCodeAt(0));

type RemoteSectionProps = {
  title: string;
  hint: string;
  action: string;
  reason: string | undefined;
  asking: boolean;
  onAsk: () => void;
  danger?: boolean;
  children?: ReactNode;
};

export function RemoteSection(props: RemoteSectionProps) {
  const { title, hint, action, reason, asking, onAsk, danger = false, children } = props;
  return (
    <Box sx={{ display: "flex", flexDirection: "column", gap: 2 }}>
      <Typography variant="h3" sx={{ fontSize: "0.875rem", fontWeight: 600 }}>
        {title}
      </Typography>
      <Box sx={{ color: "text.secondary" }}>{hint}</Box>
      {children}
      <Box sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", gap: 3, minHeight: 36 }}>
        {asking ? (
          <Waiting />
        ) : (
          <Disabled reason={reason}>
            <Button variant="outlined" color={danger ? "error" : "primary"} onClick={onAsk}>
              {action}
            </Button>
          </Disabled>
        )}
      </Box>
    </Box>
  );
}

function Waiting() {
  const [passedMs, setPassedMs] = useState(0);
  useEffect(() => {
    const startedAt = performance.now();
    const timer = setInterval(() => setPassedMs(performance.now() - startedAt), tickMs);
    return () => clearInterval(timer);
  }, []);
  const left = Math.max(0, Math.ceil((remoteTimeoutMs - passedMs) / 1000));
  return (
    <Box sx={{ flex: 1, minWidth: 160 }}>
      <LinearProgress
        variant="determinate"
        value={Math.min(100, (passedMs / remoteTimeoutMs) * 100)}
        aria-label={remoteText.waiting(left)}
      />
      <Box aria-hidden sx={{ mt: 1, color: "text.secondary", fontVariantNumeric: "tabular-nums" }}>
        {remoteText.waiting(left)}
      </Box>
    </Box>
  );
}
