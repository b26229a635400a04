// Field for typing or pasting a registration code (CL-02).
import { claimingCodeLength, isClaimingCode } from "@psp/contract/claim/claim.ts";
import { Alert, Box, Button, TextField } from "@mui/material";
import { type FormEvent, type RefObject, useEffect, useState } from "react";
import type { ScanResult } from "./scan/Scanner.tsx";
import { claimText } from "./claim.text.ts";
import { parseTypedCodes } from "./typed-code.ts";

/** How long the alert is shown (docs/rules/claiming.md#typing). */
const alertMs = 2000;

/** `advice` stays until the code changes. */
export type EnteredCodeResult = ScanResult & { advice?: string };

type EnterCodeProps = {
  submit: (code: string) => Promise<EnteredCodeResult>;
  /** Called instead of `submit` if a pasted link contains several codes. */
  onCodes: (codes: readonly string[]) => void;
  field: RefObject<HTMLInputElement | null>;
  submitLabel?: string;
};

/** Submits at the eighth character or on Enter; shows the result for two seconds. */
export function EnterCode({ submit, onCodes, field, submitLabel = claimText.register }: EnterCodeProps) {
  const [typed, setTyped] = useState("");
  const [busy, setBusy] = useState(false);
  const [verdict, setVerdict] = useState<EnteredCodeResult | null>(null);
  const [advice, setAdvice] = useState<string | null>(null);
  useEffect(() => {
    if (verdict === null) return;
    const timer = setTimeout(() => setVerdict(null), alertMs);
    return () => clearTimeout(timer);
  }, [verdict]);

  const codes = parseTypedCodes(typed);
  const length = [...(codes[0] ?? "")].length;
  const send = async (code: string) => {
    if (busy) return;
    if (!isClaimingCode(code)) {
      setAdvice(claimText.wrongLength([...code].length));
      return setVerdict({ good: false, text: claimText.typedInvalid });
    }
    setBusy(true);
    setVerdict(null);
    setAdvice(null);
    const outcome = await submit(code);
    setBusy(false);
    setVerdict(outcome);
    setAdvice(outcome.advice ?? null);
    if (outcome.good) setTyped("");
    field.current?.focus();
  };
  const onType = (text: string) => {
    const next = parseTypedCodes(text);
    setAdvice(null);
    if (next.length > 1) return onCodes(next);
    const [code = ""] = next;
    const isPasted = code !== "" && /[/=]/.test(text);
    setTyped(isPasted ? code : text.toUpperCase());
    // Submits only when a character was added, not when an overlong code was shortened.
    if (
      [...code].length === claimingCodeLength &&
      code !== codes[0] &&
      length < claimingCodeLength + (isPasted ? 1 : 0)
    )
      void send(code);
  };
  return (
    <Box
      component="form"
      noValidate
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        void send(codes[0] ?? "");
      }}
      sx={{ display: "flex", flexDirection: "column", gap: 4, width: 1, maxWidth: 480 }}
    >
      <TextField
        label={claimText.code}
        error={advice !== null || length > claimingCodeLength}
        helperText={advice ?? (typed === "" ? claimText.codeHint : claimText.typedSoFar(length))}
        value={typed}
        onChange={({ target }) => onType(target.value)}
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
        {submitLabel}
      </Button>
      {verdict === null ? null : <Alert severity={verdict.good ? "success" : "error"}>{verdict.text}</Alert>}
    </Box>
  );
}
