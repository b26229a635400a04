// Registering by the typed code: the eighth character or Enter sends it, what became of it stands there for two seconds (CL-02).
import { claimingCodeLength, isClaimingCode, normalCode } from "@psp/contract/claim/claim.ts";
import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import TextField from "@mui/material/TextField";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { claimText } from "./claim.text.ts";

/** What the alert says, and for how long (spec 2 §9). */
const alertMs = 2000;

export type TypedOutcome = { good: boolean; text: string };
type Flow = { is: "NONE" | "IN_PROGRESS" } | { is: "SUCCESS" | "FAILED"; text: string };

export function TypeCode({ submit }: { submit: (code: string) => Promise<TypedOutcome> }) {
  const [code, setCode] = useState("");
  const [flow, setFlow] = useState<Flow>({ is: "NONE" });
  const field = useRef<HTMLInputElement>(null);
  const shown = flow.is === "SUCCESS" || flow.is === "FAILED";
  useEffect(() => {
    if (!shown) return;
    const timer = setTimeout(() => setFlow({ is: "NONE" }), alertMs);
    return () => clearTimeout(timer);
  }, [shown, flow]);

  const send = async (text: string) => {
    if (flow.is === "IN_PROGRESS") return;
    if (!isClaimingCode(normalCode(text))) return setFlow({ is: "FAILED", text: claimText.typedInvalid });
    setFlow({ is: "IN_PROGRESS" });
    const { good, text: told } = await submit(text);
    setFlow({ is: good ? "SUCCESS" : "FAILED", text: told });
    if (good) setCode("");
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
          input: { readOnly: flow.is === "IN_PROGRESS" },
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
      <Button type="submit" variant="contained" size="large" loading={flow.is === "IN_PROGRESS"}>
        {claimText.register}
      </Button>
      {shown ? <Alert severity={flow.is === "SUCCESS" ? "success" : "error"}>{flow.text}</Alert> : null}
    </Box>
  );
}
