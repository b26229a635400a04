// Dialog that replaces a sensor: first finds the new one, then shows what is taken over and what is lost.
import type { Lost } from "@psp/contract/replacement/replacement.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import CheckRounded from "~icons/ic/round-check";
import { Alert, Box, Button, Checkbox, FormControlLabel, Stack, Typography } from "@mui/material";
import { type ReactNode, useState } from "react";
import { failureText } from "../../api/useFailure.ts";
import { FormDialog } from "../../ui/form/FormDialog.tsx";
import { Mono } from "../../ui/Mono.tsx";
import { ChooseNewSensor } from "./ChooseNewSensor.tsx";
import { type Candidate, findNewLosses, useReplace } from "./replace.queries.ts";
import { replaceText as text } from "./replace.text.ts";

type ReplaceDialogProps = { sensor: Sensor; onClose: () => void };

export function ReplaceDialog({ sensor, onClose }: ReplaceDialogProps) {
  // The page already shows the replaced sensor while the dialog closes.
  const [old] = useState(sensor);
  const [candidate, setCandidate] = useState<Candidate | null>(null);
  if (candidate === null) return <ChooseNewSensor old={old} onChosen={setCandidate} onClose={onClose} />;
  return <ConfirmReplacement old={old} candidate={candidate} onBack={() => setCandidate(null)} onClose={onClose} />;
}

type ConfirmProps = { old: Sensor; candidate: Candidate; onBack: () => void; onClose: () => void };

function ConfirmReplacement({ old, candidate, onBack, onClose }: ConfirmProps) {
  const replace = useReplace(old);
  const [lost, setLost] = useState<readonly Lost[]>(candidate.plan.lost);
  const [isAccepted, setAccepted] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const { sensor, location, handsOver } = candidate.plan;
  const mustAccept = lost.some((one) => one.mustAccept);
  const submit = async () => {
    setError(null);
    try {
      await replace({ ...candidate, plan: { ...candidate.plan, lost: [...lost] } });
      onClose();
    } catch (thrown) {
      const more = findNewLosses(thrown);
      if (more !== null) {
        setLost([...lost.filter(({ key }) => more.every((one) => one.key !== key)), ...more]);
        setAccepted(false);
      }
      setError(`${text.failed} ${failureText(thrown)}`);
    }
  };
  return (
    <FormDialog
      open
      title={text.title}
      subtitle={text.subtitle(old._id, location.name)}
      submitLabel={text.submit}
      submitDisabledReason={mustAccept && !isAccepted ? text.acceptFirst : undefined}
      extraActions={
        <Button color="inherit" onClick={onBack} sx={{ mr: "auto" }}>
          {text.back}
        </Button>
      }
      onSubmit={submit}
      onClose={onClose}
      error={error}
    >
      <Box sx={{ display: "grid", gridTemplateColumns: "auto 1fr", columnGap: 4, rowGap: 2, alignItems: "baseline" }}>
        <Fact label={text.old}>
          <Mono>{old._id}</Mono> {old.type}
        </Fact>
        <Fact label={text.newSensor}>
          <Mono>{sensor._id}</Mono> {sensor.type}
          {candidate.chosen.claimingCode === undefined ? null : <Note>{text.isRegistered}</Note>}
          {handsOver ? <Note>{text.isHandedOver(old.owner.name)}</Note> : null}
        </Fact>
      </Box>
      <TakenOver old={old} candidate={candidate} />
      {lost.length === 0 ? null : (
        <Alert severity={mustAccept ? "warning" : "info"} sx={{ "& .MuiAlert-message": { flex: 1, minWidth: 0 } }}>
          <Typography component="h3" variant="subtitle2">
            {text.lost}
          </Typography>
          <Box component="ul" sx={{ m: 0, my: 2, pl: 5, display: "grid", gap: 1 }}>
            {lost.map(({ key, reason }) => (
              <li key={key}>{reason}</li>
            ))}
          </Box>
          {mustAccept ? (
            <FormControlLabel
              control={<Checkbox checked={isAccepted} onChange={(_, on) => setAccepted(on)} />}
              label={text.accept}
            />
          ) : null}
        </Alert>
      )}
    </FormDialog>
  );
}

const Fact = ({ label, children }: { label: string; children: ReactNode }) => (
  <>
    <Box component="span" sx={{ color: "text.secondary" }}>
      {label}
    </Box>
    <Box sx={{ minWidth: 0 }}>{children}</Box>
  </>
);

const Note = ({ children }: { children: string }) => <Box sx={{ color: "text.secondary" }}>{children}</Box>;

function TakenOver({ old, candidate: { plan } }: Pick<ConfirmProps, "old" | "candidate">) {
  const values: Partial<Record<(typeof plan.takenOver)[number], string>> = {
    location: plan.location.name,
    groups: old.groups.join(", "),
    ...(old.artifact === null ? {} : { firmware: old.artifact.name }),
  };
  return (
    <Stack sx={{ gap: 2 }}>
      <Typography component="h3" variant="subtitle2">
        {text.takenOver}
      </Typography>
      <Box component="ul" sx={{ listStyle: "none", m: 0, p: 0, display: "grid", gap: 2 }}>
        {plan.takenOver.map((key) => (
          <Box component="li" key={key} sx={{ display: "flex", gap: 2, minWidth: 0 }}>
            <Box component={CheckRounded} aria-hidden sx={{ flex: "none", fontSize: 20, color: "success.main" }} />
            <Box sx={{ minWidth: 0, overflowWrap: "anywhere" }}>
              {text.keys[key]}
              {values[key] === undefined ? null : (
                <Box component="span" sx={{ color: "text.secondary" }}>{` ${values[key]}`}</Box>
              )}
            </Box>
          </Box>
        ))}
      </Box>
      <Box sx={{ color: "text.secondary" }}>{text.counts}</Box>
    </Stack>
  );
}
