// The registration screen: by camera, by typing, or by a link that brings its codes along (CL-01 to CL-03, spec 2 §2).
import { claimingCodeLength, isClaimingCode, normalCode } from "@psp/contract/claim/claim.ts";
import KeyboardOutlined from "@mui/icons-material/KeyboardOutlined";
import QrCodeScannerRounded from "@mui/icons-material/QrCodeScannerRounded";
import { Alert, Box, Button, TextField, ToggleButton, ToggleButtonGroup } from "@mui/material";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { searchText } from "../address/address.ts";
import { config } from "../config.ts";
import { useGo, useSearchParams } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { PageHeader } from "../ui/PageHeader.tsx";
import { useToasts } from "../ui/feedback/Toasts.tsx";
import { ClaimTable } from "./ClaimTable.tsx";
import { Scanner, type Verdict } from "./Scanner.tsx";
import { claimCode } from "./claim.flow.ts";
import { claimText } from "./claim.text.ts";
import { failureOf, useVisit } from "./RegisterVisit.tsx";
import { codesInLink } from "./scanned-link.ts";

export function RegisterSensorsPage() {
  const go = useGo();
  const search = useSearchParams();
  const { rows } = useVisit();
  const byType = search["mode"] === "type";
  const fromConsole = search["fromPSControl"] === "true";
  const brought = search["code"] !== undefined || search["c"] !== undefined;
  const stay = (mode: string | undefined) =>
    paths.registerSensors + searchText({ mode, fromPSControl: fromConsole ? "true" : undefined });
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
            <ToggleButtonGroup
              exclusive
              fullWidth
              aria-label={claimText.mode}
              value={byType ? "type" : "scan"}
              onChange={(_, mode: string | null) =>
                mode === null
                  ? undefined
                  : go(stay(mode === "type" ? mode : undefined), { query: "none", replace: true })
              }
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
            {byType ? (
              <ByTyping />
            ) : (
              <ByCamera onTypeInstead={() => go(stay("type"), { query: "none", replace: true })} />
            )}
          </>
        )}
        {rows.length === 0 ? null : <ClaimTable rows={rows} />}
        <Box sx={{ display: "flex", flexWrap: "wrap", gap: 3, "& > *": { flex: { xs: 1, sm: "none" } } }}>
          {brought ? (
            <Button variant="outlined" onClick={() => go(stay(byType ? "type" : undefined), { query: "none" })}>
              {claimText.another}
            </Button>
          ) : null}
          {rows.some((row) => row.claimingStatus === "CLAIMED") ? (
            <Button
              variant="contained"
              onClick={() => go(fromConsole ? paths.sensors : paths.registerCheckout, { query: "none" })}
            >
              {fromConsole ? claimText.done : claimText.proceed}
            </Button>
          ) : null}
        </Box>
      </Box>
    </Box>
  );
}

/** Tells what is no verdict about the code, as a message that stays. */
function useComplaint(): (error: unknown) => string {
  const toasts = useToasts();
  return (error) => {
    const { title, text } = failureOf(error);
    toasts.error({ title, text, key: title });
    return title;
  };
}

function ByCamera({ onTypeInstead }: { onTypeInstead: () => void }) {
  const { rows, add } = useVisit();
  const complain = useComplaint();
  const judge = async (text: string): Promise<Verdict> => {
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
  return <Scanner judge={judge} onTypeInstead={onTypeInstead} />;
}

function ByTyping() {
  const { add } = useVisit();
  const complain = useComplaint();
  const submit = async (code: string): Promise<Verdict> => {
    try {
      const outcome = await claimCode(code);
      if (outcome.is === "unknown") return { good: false, text: claimText.typedInvalid };
      if (outcome.is === "refused") return { good: false, text: claimText.typedFailed(outcome.id) };
      add([outcome.row]);
      return { good: true, text: claimText.typedDone(outcome.id) };
    } catch (error) {
      return { good: false, text: complain(error) };
    }
  };
  return <TypeCode submit={submit} />;
}

/** What the alert says, and for how long (spec 2 §9). */
const alertMs = 2000;

/** The eighth character or Enter sends the code; what became of it is shown for two seconds (CL-02). */
function TypeCode({ submit }: { submit: (code: string) => Promise<Verdict> }) {
  const [code, setCode] = useState("");
  const [busy, setBusy] = useState(false);
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (verdict === null) return;
    const timer = setTimeout(() => setVerdict(null), alertMs);
    return () => clearTimeout(timer);
  }, [verdict]);

  const send = async (text: string) => {
    if (busy) return;
    if (!isClaimingCode(normalCode(text))) return setVerdict({ good: false, text: claimText.typedInvalid });
    setBusy(true);
    setVerdict(null);
    const outcome = await submit(text);
    setBusy(false);
    setVerdict(outcome);
    if (outcome.good) setCode("");
    field.current?.focus();
  };
  return (
    <Box
      component="form"
      noValidate
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        void send(code);
      }}
      sx={{ display: "flex", flexDirection: "column", gap: 4, width: 1, maxWidth: 480 }}
    >
      <TextField
        label={claimText.code}
        helperText={claimText.codeHint}
        value={code}
        onChange={({ target }) => {
          const next = target.value.toUpperCase();
          setCode(next);
          if (normalCode(next).length === claimingCodeLength && next !== code && next.length >= code.length)
            void send(next);
        }}
        inputRef={field}
        autoFocus
        slotProps={{
          input: { readOnly: busy },
          htmlInput: {
            autoCapitalize: "characters",
            autoComplete: "off",
            autoCorrect: "off",
            spellCheck: false,
            style: {
              fontFamily: "'JetBrains Mono Variable', monospace",
              fontSize: "1.375rem",
              letterSpacing: "0.16em",
            },
          },
        }}
      />
      <Button type="submit" variant="contained" size="large" loading={busy}>
        {claimText.register}
      </Button>
      {verdict === null ? null : <Alert severity={verdict.good ? "success" : "error"}>{verdict.text}</Alert>}
    </Box>
  );
}
