// Card of a firmware installation: shows its progress, and offers cancel, resume and retry (SE-09).
import { batchUpdateSensors } from "@psp/contract/sensor/sensor.batch.api.ts";
import { type InstallProgress, installProgress } from "@psp/contract/sensor/install-progress.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { Alert, Box, Button, LinearProgress, Typography } from "@mui/material";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { call } from "../../api/call.ts";
import { useFailureToast } from "../../api/useFailure.ts";
import { useName } from "../../entity/reference/useNames.ts";
import { useCan, useOwners } from "../../api/session/useCan.ts";
import { FactList } from "../../ui/FactList.tsx";
import { Mono } from "../../ui/Mono.tsx";
import { RelativeTime } from "../../ui/time/RelativeTime.tsx";
import { SectionCard } from "../../ui/SectionCard.tsx";
import { Disabled } from "../../ui/feedback/Disabled.tsx";
import { StatusDot, type StatusTone } from "../../ui/feedback/StatusDot.tsx";
import { TipButton } from "../../ui/feedback/TipButton.tsx";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { visuallyHidden } from "../../ui/visuallyHidden.ts";
import { installText as text } from "../sensor-page.text.ts";
import { runningVersion, useUpdateSensor } from "../sensor.entity.ts";
import { sensorText } from "../sensor.text.ts";
import { useReachability } from "../useReachability.ts";

const tones: Record<InstallProgress["word"], StatusTone> = {
  INSTALLING: "pending",
  SUCCESS: "good",
  FAILED: "bad",
  CANCELED: "off",
};

export function FirmwareInstall({ sensor }: { sensor: Sensor }) {
  const progress = installProgress(sensor);
  const { word, percent, isPaused, isReverted } = progress;
  const label = isPaused ? text.paused : isReverted ? sensorText.installations.reverted : text.words[word];
  const reason = sensor.sensorUpdateTask?.info ?? null;
  return (
    <SectionCard
      title={text.title}
      head={
        <Box sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", columnGap: 4, rowGap: 2 }}>
          <Typography variant="h2" sx={{ flex: 1 }}>
            {text.title}
          </Typography>
          <StatusDot tone={isPaused ? "off" : isReverted ? "bad" : tones[word]} label={label} />
        </Box>
      }
    >
      {word === "INSTALLING" && !isPaused ? <Bar sensor={sensor} progress={progress} /> : null}
      {word === "FAILED" && reason !== null ? <Alert severity="error">{reason}</Alert> : null}
      {isReverted ? <Alert severity="warning">{text.reverted}</Alert> : null}
      <Facts sensor={sensor} progress={progress} />
      <Actions sensor={sensor} progress={progress} />
      <span role="status" style={visuallyHidden}>
        {text.announced(label, percent)}
      </span>
    </SectionCard>
  );
}

type Parts = { sensor: Sensor; progress: InstallProgress };

function Bar({ sensor, progress: { percent, state, isCanceling } }: Parts) {
  const isThere = useReachability(sensor.scomState) !== "disconnected";
  const step = isCanceling
    ? text.canceling
    : state === null
      ? isThere
        ? text.waiting
        : text.waitingOffline
      : text.states[state];
  return (
    <Box>
      <LinearProgress
        aria-label={text.progress}
        aria-valuetext={percent === null ? step : `${sensorText.percent(percent)}, ${step}`}
        variant={percent === null && isThere ? "indeterminate" : "determinate"}
        {...(percent === null && isThere ? {} : { value: percent ?? 0 })}
      />
      <Box sx={{ display: "flex", justifyContent: "space-between", gap: 4, mt: 2, color: "text.secondary" }}>
        <span>{step}</span>
        <Box component="span" sx={{ fontVariantNumeric: "tabular-nums", whiteSpace: "nowrap" }}>
          {percent === null ? "" : sensorText.percent(percent)}
        </Box>
      </Box>
    </Box>
  );
}

function Facts({ sensor, progress: { word, isCanceling } }: Parts) {
  const { artifact, sensorUpdateTask: task } = sensor;
  const zone = sensor.measurement?.location.timezone ?? undefined;
  const by = useName("account", task?.createdByAccount ?? null);
  const at = (iso: string) => <RelativeTime value={iso} {...(zone === undefined ? {} : { timeZone: zone })} />;
  const facts: [string, ReactNode][] = [
    [text.assigned, <Assigned key="assigned" artifact={artifact} />],
    [text.running, <Mono key="running">{runningVersion(sensor) ?? "-"}</Mono>],
  ];
  if (task !== null) {
    facts.push([text.since, at(task.createdAt)]);
    // If the user can't view the account, its name is unknown, and its id must not be shown.
    facts.push([text.by, by === task.createdByAccount ? text.unknownAccount : (by ?? "")]);
    if (task.statusChangedAt !== null) facts.push([text.ended[word], at(task.statusChangedAt)]);
    if (task.info !== null && word !== "FAILED" && !isCanceling) facts.push([text.reason, task.info]);
  }
  return <FactList facts={facts} />;
}

function Assigned({ artifact }: { artifact: Sensor["artifact"] }) {
  if (artifact === null) return <>-</>;
  if (artifact.isDeleted)
    return (
      <TipButton text={sensorText.deletedFirmware}>
        <StatusDot tone="neutral" label={artifact.name} tooltip={null} />
      </TipButton>
    );
  return <Mono>{artifact.name}</Mono>;
}

function Actions({ sensor, progress }: Parts) {
  const fail = useFailureToast();
  const can = useCan();
  const { ownerOf, ready } = useOwners([sensor.owner._id]);
  const update = useUpdateSensor(sensor._id);
  const mayEdit = ready && can.edit("sensor", ownerOf(sensor.owner._id));
  const send = (artifact: string) =>
    update.mutate({ change: { artifact } }, { onError: fail(sensorText.updateFailed) });
  const { word, offersCancel, isCanceling, isPaused, isPastCancel } = progress;
  if (offersCancel) {
    const canceling = isCanceling || update.isPending ? text.canceling : undefined;
    const reason = mayEdit ? (isPastCancel ? text.pastCancel : canceling) : sensorText.noEdit;
    return (
      <Box sx={{ display: "flex", flexWrap: "wrap", gap: 2 }}>
        {isPaused ? <Resume id={sensor._id} mayEdit={mayEdit} /> : null}
        <Disabled reason={reason}>
          <Button variant="outlined" color="inherit" onClick={() => send("")}>
            {text.cancel}
          </Button>
        </Disabled>
      </Box>
    );
  }
  const { artifact } = sensor;
  if ((word !== "FAILED" && word !== "CANCELED") || artifact === null || artifact.isDeleted || !mayEdit) return null;
  return (
    <Box>
      <Button variant="outlined" disabled={update.isPending} onClick={() => send(artifact._id)}>
        {text.retry}
      </Button>
    </Box>
  );
}

/** Resumes the installation of this sensor, not of the whole rollout. */
function Resume({ id, mayEdit }: { id: string; mayEdit: boolean }) {
  const client = useQueryClient();
  const toasts = useToasts();
  const fail = useFailureToast();
  const resume = useMutation({
    mutationFn: () => call(batchUpdateSensors, { body: { sensorIDs: [id], changes: { installation: "waiting" } } }),
    onSuccess: ({ success }) =>
      success === 1 ? toasts.success(text.resumed) : toasts.error({ title: text.resumeFailed }),
    onError: fail(text.resumeFailed),
    onSettled: () => void client.invalidateQueries({ queryKey: ["sensor"] }),
  });
  return (
    <Disabled reason={mayEdit ? undefined : sensorText.noEdit}>
      <Button variant="outlined" disabled={resume.isPending} onClick={() => resume.mutate()}>
        {text.resume}
      </Button>
    </Disabled>
  );
}
