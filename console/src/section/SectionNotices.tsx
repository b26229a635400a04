// Notices above a section about newer values, a required restart, or a pending change.
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { Alert, Button } from "@mui/material";
import { useState } from "react";
import { Disabled } from "../ui/feedback/Disabled.tsx";
import { useToasts } from "../ui/feedback/Toasts.tsx";
import { ConfirmDialog } from "../ui/form/ConfirmDialog.tsx";
import { configurationPageText } from "../remote-access/configuration-page.text.ts";
import { useReachability } from "../sensor/useReachability.ts";
import { restartSensor, requestFailureText } from "./section.queries.ts";
import { sectionText as text } from "./section.text.ts";
import { type ChangeOutcome, useSecondsLeft } from "./useApplying.ts";

export function LoadNotice({ sentence, onLoad }: { sentence: string; onLoad: () => void }) {
  return (
    <Alert
      severity="warning"
      role="status"
      action={
        <Button size="small" color="inherit" onClick={onLoad}>
          {text.loadNew}
        </Button>
      }
    >
      {sentence}
    </Alert>
  );
}

/** Why the sensor can't be reached, although the header may say "Connected". */
export function AwayNotice({ sensor, sentence }: { sensor: Sensor; sentence: string }) {
  const { psconnect, scomState } = sensor;
  const isOnlyTunnel =
    useReachability(scomState) !== "disconnected" && psconnect !== null && psconnect.connectionStatus !== "connected";
  return (
    <Alert severity="warning">
      <div>{sentence}</div>
      {isOnlyTunnel ? <div>{configurationPageText.disconnected}</div> : null}
    </Alert>
  );
}

type RestartNoticeProps = {
  sensor: Sensor;
  restart:
    | {
        offReason: string | undefined;
        /** Must call `closeDialog` in the same update that removes this notice. */
        onRestarted: (closeDialog: () => void) => void;
      }
    | undefined;
};

export function RestartNotice({ sensor, restart }: RestartNoticeProps) {
  const toasts = useToasts();
  const [open, setOpen] = useState(false);
  const [error, setError] = useState<string>();
  const close = () => {
    setOpen(false);
    setError(undefined);
  };
  const onConfirm = async () => {
    try {
      await restartSensor(sensor._id);
      toasts.success(text.restarts);
      restart?.onRestarted(close);
    } catch (failure) {
      setError(requestFailureText(failure));
    }
  };
  return (
    <Alert
      severity="info"
      role="status"
      action={
        restart === undefined ? undefined : (
          <Disabled reason={restart.offReason}>
            <Button size="small" color="inherit" onClick={() => setOpen(true)}>
              {text.restartSensor}
            </Button>
          </Disabled>
        )
      }
    >
      {text.takesRestart}
      <ConfirmDialog
        open={open}
        title={text.restartSensor}
        confirmLabel={text.restart}
        cancelLabel={text.cancel}
        danger={false}
        onConfirm={onConfirm}
        onClose={close}
        error={error}
      >
        {text.restartQuestion}
      </ConfirmDialog>
    </Alert>
  );
}

type ApplyingNoticeProps = { applying: { endsAt: number } | null; outcome: ChangeOutcome | null };

/** Shows a countdown while a change awaits confirmation, then the outcome of the change. */
export function ApplyingNotice({ applying, outcome }: ApplyingNoticeProps) {
  const left = useSecondsLeft(applying?.endsAt ?? null);
  if (applying === null && outcome === null) return null;
  const severity = outcome === "confirmed" ? "success" : outcome === "rolledBack" ? "warning" : "info";
  return (
    <Alert severity={severity} role="status">
      {outcome === null ? text.applying(left) : text.outcomes[outcome]}
    </Alert>
  );
}
