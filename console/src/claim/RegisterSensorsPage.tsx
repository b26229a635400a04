// Page to register sensors by camera, by typing, or by a link with codes (CL-01 to CL-03).
import KeyboardOutlined from "~icons/ic/outline-keyboard";
import QrCodeScannerRounded from "~icons/ic/round-qr-code-scanner";
import { Alert, Box, Button, ToggleButton, ToggleButtonGroup } from "@mui/material";
import { type RefObject, useRef, useState } from "react";
import { type SearchParams, formatSearch } from "../address/address.ts";
import { config } from "../api/config.ts";
import { useGo, useSearchParams } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { PageHeader } from "../ui/PageHeader.tsx";
import { useToasts } from "../ui/feedback/Toasts.tsx";
import { ClaimTable } from "./ClaimTable.tsx";
import { NextSteps } from "./NextSteps.tsx";
import { Scanner, type ScanResult } from "./scan/Scanner.tsx";
import { EnterCode, type EnteredCodeResult } from "./EnterCode.tsx";
import { claimCode } from "./claim.flow.ts";
import { claimText } from "./claim.text.ts";
import { describeClaimFailure, useVisit } from "./RegisterVisit.tsx";
import { codesInLink } from "./scanned-link.ts";

export function RegisterSensorsPage() {
  const go = useGo();
  const search = useSearchParams();
  const { rows } = useVisit();
  const byType = search["mode"] === "type";
  const fromConsole = search["fromPSControl"] === "true";
  const brought = search["code"] !== undefined || search["c"] !== undefined;
  const [noCamera, setNoCamera] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const here = (more: SearchParams) =>
    paths.registerSensors + formatSearch({ ...more, fromPSControl: fromConsole ? "true" : undefined });
  const stay = (mode: "type" | undefined) => here(mode === undefined ? {} : { mode });
  const change = (mode: "type" | undefined) => {
    setNoCamera(null);
    go(stay(mode), { query: "none", replace: true });
  };
  const another = () => {
    if (brought) return go(stay(byType ? "type" : undefined), { query: "none" });
    if (byType) return field.current?.focus();
    window.scrollTo({ top: 0 });
  };
  const isClaimed = rows.some((row) => row.claimingStatus === "CLAIMED");
  return (
    <Box sx={{ width: 1, maxWidth: 760, mx: "auto", display: "flex", flexDirection: "column" }}>
      <PageHeader
        title={claimText.title}
        action={
          <Button color="inherit" onClick={() => go(paths.sensors, { query: "none" })} sx={{ flex: "none" }}>
            {claimText.toSensors}
          </Button>
        }
      />
      <Box sx={{ display: "flex", flexDirection: "column", gap: 5 }}>
        {brought ? null : (
          <>
            <Box sx={{ color: "text.secondary", mt: -3 }}>{claimText.intro}</Box>
            <ModeSwitch byType={byType} onChange={change} />
            {byType && noCamera !== null ? (
              <Alert
                severity="info"
                action={
                  <Button color="inherit" size="small" onClick={() => change(undefined)}>
                    {claimText.tryAgain}
                  </Button>
                }
                sx={{ maxWidth: 480 }}
              >
                {noCamera}
              </Alert>
            ) : null}
            {byType ? (
              <ByTyping field={field} onCodes={(codes) => go(here({ code: [...codes] }), { query: "none" })} />
            ) : (
              <ByCamera
                onTypeInstead={() => change("type")}
                onNoCamera={(text) => {
                  change("type");
                  setNoCamera(text);
                }}
              />
            )}
          </>
        )}
        {isClaimed ? <NextSteps rows={rows} onAnother={another} /> : null}
        {rows.length === 0 ? null : <ClaimTable rows={rows} />}
        {isClaimed ? (
          <Box sx={{ display: "flex", flexWrap: "wrap", gap: 3, "& > *": { flex: { xs: 1, sm: "none" } } }}>
            <Button
              variant="outlined"
              onClick={() => go(fromConsole ? paths.sensors : paths.registerCheckout, { query: "none" })}
            >
              {fromConsole ? claimText.done : claimText.proceed}
            </Button>
          </Box>
        ) : brought ? (
          <Box>
            <Button variant="outlined" onClick={another}>
              {claimText.another}
            </Button>
          </Box>
        ) : null}
      </Box>
    </Box>
  );
}

type ModeSwitchProps = { byType: boolean; onChange: (mode: "type" | undefined) => void };

const ModeSwitch = ({ byType, onChange }: ModeSwitchProps) => (
  <ToggleButtonGroup
    exclusive
    fullWidth
    aria-label={claimText.mode}
    value={byType ? "type" : "scan"}
    onChange={(_, mode: string | null) => {
      if (mode !== null) onChange(mode === "type" ? mode : undefined);
    }}
    sx={{ maxWidth: 480 }}
  >
    <ToggleButton value="scan" sx={{ gap: 2, minHeight: 44 }}>
      <QrCodeScannerRounded fontSize="small" />
      {claimText.scan}
    </ToggleButton>
    <ToggleButton value="type" sx={{ gap: 2, minHeight: 44 }}>
      <KeyboardOutlined fontSize="small" />
      {claimText.type}
    </ToggleButton>
  </ToggleButtonGroup>
);

/** Returns a function that shows a failure as a persistent toast and returns the toast's title. */
function useComplaint(): (error: unknown) => string {
  const toasts = useToasts();
  return (error) => {
    const { title, text } = describeClaimFailure(error);
    toasts.error({ title, text, key: title });
    return title;
  };
}

type ByCameraProps = { onTypeInstead: () => void; onNoCamera: (text: string) => void };

function ByCamera(props: ByCameraProps) {
  const { rows, add } = useVisit();
  const complain = useComplaint();
  const judge = async (text: string): Promise<ScanResult> => {
    const codes = codesInLink(text, window.location, config.claimingDomains);
    if (codes === null) return { good: false, text: claimText.invalidQr };
    const ids: string[] = [];
    try {
      for (const code of codes) {
        const known = rows.find((row) => row.claimingCode === code.toUpperCase() && row.claimingStatus === "CLAIMED");
        if (known?.sensorID) {
          ids.push(known.sensorID);
          continue;
        }
        const outcome = await claimCode(code);
        if (outcome.is === "unknown") return { good: false, text: claimText.invalidCode };
        if (outcome.is === "refused") return { good: false, text: claimText.unable };
        ids.push(outcome.id);
        add([outcome.row]);
      }
      return { good: true, text: claimText.registered(ids.join("', '")) };
    } catch (error) {
      return { good: false, text: complain(error) };
    }
  };
  return <Scanner {...props} judge={judge} />;
}

type ByTypingProps = { onCodes: (codes: readonly string[]) => void; field: RefObject<HTMLInputElement | null> };

function ByTyping(props: ByTypingProps) {
  const { add } = useVisit();
  const complain = useComplaint();
  const submit = async (code: string): Promise<EnteredCodeResult> => {
    try {
      const outcome = await claimCode(code);
      if (outcome.is === "unknown") return { good: false, text: claimText.typedInvalid, advice: claimText.checkCode };
      if (outcome.is === "refused")
        return { good: false, text: claimText.typedFailed(outcome.id), advice: claimText.checkOwner };
      add([outcome.row]);
      return { good: true, text: claimText.typedDone(outcome.id) };
    } catch (error) {
      return { good: false, text: complain(error) };
    }
  };
  return <EnterCode {...props} submit={submit} />;
}
