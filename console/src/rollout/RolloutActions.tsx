// Buttons to pause, resume or cancel a rollout, and to retry failed installations (ADR 0019).
import type { Rollout } from "@psp/contract/firmware/firmware.ts";
import { resolveEditScope } from "@psp/contract/permission/can.ts";
import { isEmptySet } from "@psp/contract/permission/scope.ts";
import { Box, Button } from "@mui/material";
import { useState } from "react";
import type { InstallationState } from "@psp/contract/sensor/presence.ts";
import { useCan } from "../api/session/useCan.ts";
import { BatchDialog } from "../ui/batch/BatchDialog.tsx";
import { Disabled } from "../ui/feedback/Disabled.tsx";
import { allSelected } from "../ui/table/Selection.ts";
import type { SensorChanges } from "../sensor/batch/sensor.batch.ts";
import { useBatchRun } from "../sensor/batch/useBatchRun.tsx";
import { sensorText } from "../sensor/sensor.text.ts";
import { rolloutText as text } from "./rollout.text.ts";

type Act = {
  button: string;
  among: readonly InstallationState[];
  /** Why the action is disabled while no sensor is in one of the states of `among`. */
  none: string;
  title: (count: number) => string;
  question: (name: string, count: number) => string;
  submit: string;
  changes: (id: string) => SensorChanges;
};

const acts: readonly Act[] = [
  {
    button: text.pause,
    among: ["waiting"],
    none: text.noPause,
    title: text.pauseTitle,
    question: text.pauseQuestion,
    submit: text.pauseIt,
    changes: () => ({ installation: "paused" }),
  },
  {
    button: text.resume,
    among: ["paused"],
    none: text.noPaused,
    title: text.resumeTitle,
    question: text.resumeQuestion,
    submit: text.resumeIt,
    changes: () => ({ installation: "waiting" }),
  },
  {
    button: text.retry,
    among: ["failed"],
    none: text.noFailed,
    title: text.retryTitle,
    question: text.retryQuestion,
    submit: text.retryIt,
    changes: (id) => ({ artifact: id }),
  },
  {
    button: text.cancel,
    among: ["waiting", "paused"],
    none: text.noWaiting,
    title: text.cancelTitle,
    question: text.cancelQuestion,
    submit: text.cancelIt,
    changes: () => ({ artifact: null }),
  },
];

type RolloutActionsProps = { id: string; name: string; rollout: Rollout };

export function RolloutActions({ id, name, rollout }: RolloutActionsProps) {
  const can = useCan();
  const [open, setOpen] = useState<{ act: Act; count: number } | null>(null);
  const noEdit = isEmptySet(resolveEditScope(can.actor, "sensor")) ? sensorText.noEdit : undefined;
  const countOf = ({ among }: Act) => among.reduce((sum, state) => sum + rollout[state], 0);
  return (
    <Box sx={{ display: "flex", flexWrap: "wrap", gap: 2 }}>
      {acts.map((act) => (
        <Disabled key={act.button} reason={noEdit ?? (countOf(act) === 0 ? act.none : undefined)}>
          <Button variant="outlined" color="inherit" onClick={() => setOpen({ act, count: countOf(act) })}>
            {act.button}
          </Button>
        </Disabled>
      ))}
      {open === null ? null : (
        <ActDialog key={open.act.button} id={id} name={name} {...open} onClose={() => setOpen(null)} />
      )}
    </Box>
  );
}

type ActProps = { id: string; name: string; act: Act; count: number; onClose: () => void };

/** The action applies to all sensors that match when the request is sent. If their number has changed, the dialog asks again. */
function ActDialog({ id, name, act, count, onClose }: ActProps) {
  const chosen = { selection: allSelected, filters: { artifactID: id, installation: [...act.among] } };
  const { expected, texts, differs, runWith } = useBatchRun({ chosen, count }, "updated");
  return (
    <BatchDialog
      title={act.title(expected)}
      submitLabel={act.submit}
      total={expected}
      texts={texts}
      run={runWith(act.changes(id))}
      onClose={onClose}
    >
      {differs}
      <div>{act.question(name, expected)}</div>
    </BatchDialog>
  );
}
