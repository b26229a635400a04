// Typing a registration code: it counts the characters, takes gaps, dashes and whole links, and keeps what was wrong (CL-02).
import { claimingCodeLength, isClaimingCode } from "@psp/contract/claim/claim.ts";
import { Alert, Box, Button, TextField } from "@mui/material";
import { type FormEvent, type RefObject, useEffect, useState } from "react";
import type { Verdict } from "./Scanner.tsx";
import { claimText } from "./claim.text.ts";
import { typedCodes } from "./typed-code.ts";

/** How long the alert is shown (docs/rules/claiming.md#typing). */
const alertMs = 2000;

/** `advice` says what to check; it stays for as long as the code does. */
export type TypedVerdict = Verdict & { advice?: string };

type TypeCodeProps = {
  submit: (code: string) => Promise<TypedVerdict>;
  /** A pasted link may hold several codes. */
  onCodes: (codes: readonly string[]) => void;
  field: RefObject<HTMLInputElement | null>;
};

/** The eighth character or Enter sends the code; what became of it is shown for two seconds. */
export function TypeCode({ submit, onCodes, field }: TypeCodeProps) {
  const [typed, setTyped] = useState("");
  const [busy, setBusy] = useState(false);
  const [verdict, setVerdict] = useState<TypedVerdict | null>(null);
  const [advice, setAdvice] = useState<string | null>(null);
  useEffect(() => {
    if (verdict === null) return;
    const timer = setTimeout(() => setVerdict(null), alertMs);
    return () => clearTimeout(timer);
  }, [verdict]);

  const codes = typedCodes(typed);
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
    const next = typedCodes(text);
    setAdvice(null);
    if (next.length > 1) return onCodes(next);
    const [code = ""] = next;
    const isPasted = code !== "" && /[/=]/.test(text);
    setTyped(isPasted ? code : text.toUpperCase());
    // Complete by one more character, not by taking one away or by mending a code that was too long.
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
        {claimText.register}
      </Button>
      {verdict === null ? null : <Alert severity={verdict.good ? "success" : "error"}>{verdict.text}</Alert>}
    </Box>
  );
}
