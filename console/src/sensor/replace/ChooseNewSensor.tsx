// First step of replacing a sensor: finds the new one by camera, by its code, or among the user's sensors without a location.
import type { ReplacementCheck } from "@psp/contract/replacement/replacement.ts";
import { normalizeClaimingCode } from "@psp/contract/claim/claim.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import KeyboardOutlined from "~icons/ic/outline-keyboard";
import ListRounded from "~icons/ic/round-list";
import QrCodeScannerRounded from "~icons/ic/round-qr-code-scanner";
import {
  Alert,
  Box,
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  Stack,
  ToggleButton,
  ToggleButtonGroup,
  Typography,
} from "@mui/material";
import { useId, useRef, useState } from "react";
import { CallError } from "../../api/call.ts";
import { config } from "../../api/config.ts";
import { useCan } from "../../api/session/useCan.ts";
import { failureText } from "../../api/useFailure.ts";
import { EnterCode, type EnteredCodeResult } from "../../claim/EnterCode.tsx";
import { Scanner, type ScanResult } from "../../claim/scan/Scanner.tsx";
import { claimText } from "../../claim/claim.text.ts";
import { codesInLink } from "../../claim/scanned-link.ts";
import { LoadingBar } from "../../ui/feedback/LoadingBar.tsx";
import { useIsPhone } from "../../ui/theme/theme.ts";
import { SensorSelect } from "../SensorSelect.tsx";
import { type Candidate, checkCandidate } from "./replace.queries.ts";
import { replaceText as text } from "./replace.text.ts";

type Mode = "scan" | "type" | "choose";
const modes = [
  ["scan", text.scan, QrCodeScannerRounded],
  ["type", text.type, KeyboardOutlined],
  ["choose", text.choose, ListRounded],
] as const;

type ChooseProps = { old: Sensor; onChosen: (candidate: Candidate) => void; onClose: () => void };

export function ChooseNewSensor({ old, onChosen, onClose }: ChooseProps) {
  const phone = useIsPhone();
  const titleId = useId();
  // A phone has a camera at hand, a desktop has a list.
  const [mode, setMode] = useState<Mode>(phone ? "scan" : "choose");
  const [notice, setNotice] = useState<string | null>(null);
  const change = (to: Mode, why: string | null = null) => {
    setMode(to);
    setNotice(why);
  };
  const find = async (code: string): Promise<ScanResult> => {
    try {
      const candidate = await checkCandidate(old, { claimingCode: normalizeClaimingCode(code) });
      onChosen(candidate);
      return { good: true, text: text.found(candidate.plan.sensor._id) };
    } catch (error) {
      const isUnknown = error instanceof CallError && error.details["field"] === "claimingCode";
      return { good: false, text: isUnknown ? text.unknownCode : failureText(error) };
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      fullScreen={phone}
      fullWidth
      aria-labelledby={titleId}
      slotProps={{ paper: { sx: phone ? { border: 0, borderRadius: 0 } : { maxWidth: 500 } } }}
    >
      <DialogTitle id={titleId}>
        {text.title}
        <Typography component="span" variant="body2" sx={{ display: "block", color: "text.secondary" }}>
          {text.subtitle(old._id, old.measurement?.name ?? "")}
        </Typography>
      </DialogTitle>
      <DialogContent>
        <Stack sx={{ gap: 4, pt: 1 }}>
          <ToggleButtonGroup
            exclusive
            fullWidth
            aria-label={text.how}
            value={mode}
            onChange={(_, to: Mode | null) => to !== null && change(to)}
          >
            {modes.map(([key, label, Icon]) => (
              <ToggleButton key={key} value={key} sx={{ gap: 2, minHeight: 44 }}>
                <Icon />
                {label}
              </ToggleButton>
            ))}
          </ToggleButtonGroup>
          {notice === null ? null : <Alert severity="info">{notice}</Alert>}
          {mode === "scan" ? (
            <>
              <Scanner
                judge={async (scanned) => {
                  const codes = codesInLink(scanned, window.location, config.claimingDomains);
                  if (codes === null) return { good: false, text: claimText.invalidQr };
                  const [code = "", ...others] = codes;
                  return others.length > 0 ? { good: false, text: text.severalCodes } : find(code);
                }}
                onTypeInstead={() => change("type")}
                onNoCamera={(why) => change("type", why)}
              />
              <Box sx={{ color: "text.secondary" }}>{text.scanHint}</Box>
            </>
          ) : mode === "type" ? (
            <ByTyping find={find} onSeveral={() => setNotice(text.severalCodes)} />
          ) : (
            <ByChoice old={old} onChosen={onChosen} />
          )}
        </Stack>
      </DialogContent>
      <DialogActions>
        <Button color="inherit" variant="outlined" onClick={onClose}>
          {text.cancel}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

type ByTypingProps = { find: (code: string) => Promise<ScanResult>; onSeveral: () => void };

function ByTyping({ find, onSeveral }: ByTypingProps) {
  const field = useRef<HTMLInputElement>(null);
  const submit = async (code: string): Promise<EnteredCodeResult> => {
    const result = await find(code);
    return result.good ? result : { ...result, advice: result.text };
  };
  return <EnterCode submit={submit} onCodes={onSeveral} field={field} submitLabel={text.next} />;
}

/** Checks a sensor as soon as it is chosen. */
function ByChoice({ old, onChosen }: Pick<ChooseProps, "old" | "onChosen">) {
  const can = useCan();
  const [chosen, setChosen] = useState<ReplacementCheck | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const check = async (sensorID: string) => {
    setChosen({ sensorID });
    setError(null);
    setBusy(true);
    try {
      onChosen(await checkCandidate(old, { sensorID }));
    } catch (thrown) {
      setError(failureText(thrown));
      setBusy(false);
    }
  };
  return (
    <>
      {isBusy ? <LoadingBar /> : null}
      <SensorSelect
        label={text.newSensor}
        value={chosen?.sensorID ?? null}
        onChange={(sensor) => (sensor === null ? setChosen(null) : void check(sensor.id))}
        allow={(owner) => can.edit("sensor", owner)}
        filter={{ hasLocation: "false" }}
        onNoChoice={() => setError(text.noSpare)}
        helperText={text.chooseHint}
        error={error ?? undefined}
      />
    </>
  );
}
