// One remote function: its name, what it does, its button or how long the sensor may still take, and what came of it.
import { remoteTimeoutMs } from "@psp/contract/sensor/sensor.remote.api.ts";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import LinearProgress from "@mui/material/LinearProgress";
import Typography from "@mui/material/Typography";
import { type ReactNode, useEffect, useState } from "react";
import { Disabled } from "../../ui/feedback/Disabled.tsx";
import { remoteText } from "../sensor-page.text.ts";

const tickMs = 200;

type RemoteSectionProps = {
  title: string;
  hint: string;
  action: string;
  /** Why the button is off. */
  reason: string | undefined;
  asking: boolean;
  onAsk: () => void;
  danger?: boolean;
  children?: ReactNode;
};

/** Props: `title`, `hint`, `action`, `reason`, `asking`, `onAsk`, `danger?`, `children?`. */
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
