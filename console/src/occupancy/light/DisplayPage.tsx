// Full-screen door display, opened by a link without login (OC-03).
import { exchangeDisplayKey, getDisplay } from "@psp/contract/occupancy/occupancy.api.ts";
import { Box, Button } from "@mui/material";
import { useMemo, useState } from "react";
import { useParam, useSearchParams, useTitle } from "../../address/navigation.tsx";
import { call } from "../../api/call.ts";
import { forgetToken, keepToken, readToken } from "./display-token.ts";
import type { LightSource } from "./light-channel.ts";
import { lightText as text } from "./light.text.ts";
import { CurrentLight } from "./CurrentLight.tsx";
import { useLight } from "./useLight.ts";
import { useWakeLock } from "./useWakeLock.ts";

/** Reads one location's display. Exchanges the link's key `k` for the display token that this requires. */
function linkSource(id: string, k: string | null): LightSource {
  let token = readToken(id, k);
  let hasWorked = false;
  const params = { id };
  const ask = async () => {
    if (token !== null) return token;
    const answer = await call(exchangeDisplayKey, { params, body: { k: k ?? "" } });
    token = answer.token;
    keepToken(id, k ?? "", token);
    return token;
  };
  return {
    token: ask,
    async loadDisplay(signal) {
      const display = await call(getDisplay, { params, bearer: await ask(), signal });
      hasWorked = true;
      return display;
    },
    renew() {
      const wasKept = token !== null && !hasWorked;
      token = null;
      forgetToken(id);
      // A token that hasn't worked yet may be a stored one that has expired, so the link's key is exchanged again.
      // A token that has worked before was revoked.
      return wasKept && k !== null;
    },
  };
}

export function DisplayPage() {
  const id = useParam("id");
  const { k } = useSearchParams();
  const key = typeof k === "string" && k !== "" ? k : null;
  const [attempt, setAttempt] = useState(0);
  if (key === null && readToken(id, null) === null) return <Refused onRetry={() => setAttempt(attempt + 1)} />;
  return <Running key={`${id} ${key} ${attempt}`} id={id} k={key} onRetry={() => setAttempt(attempt + 1)} />;
}

function Running({ id, k, onRetry }: { id: string; k: string | null; onRetry: () => void }) {
  const source = useMemo(() => linkSource(id, k), [id, k]);
  const now = useLight(id, source);
  useWakeLock();
  useTitle(now.display?.name ?? "");
  if (now.refused !== null) return <Refused onRetry={onRetry} />;
  return (
    <Box sx={{ position: "fixed", inset: 0, bgcolor: "#000" }}>
      <CurrentLight {...now} isPage />
    </Box>
  );
}

/** The link was truncated or revoked. */
function Refused({ onRetry }: { onRetry: () => void }) {
  useTitle(text.refused);
  return (
    <Box
      sx={{
        flex: 1,
        display: "flex",
        flexDirection: "column",
        alignItems: "center",
        justifyContent: "center",
        gap: 5,
        p: 6,
        minHeight: "100dvh",
        textAlign: "center",
        bgcolor: "#2f3b3e",
        color: "#ffffff",
      }}
    >
      <Box component="h1" tabIndex={-1} sx={{ m: 0, fontSize: "clamp(1.5rem, 5vmin, 3rem)", lineHeight: 1.2 }}>
        {text.refused}
      </Box>
      <Box role="alert" sx={{ fontSize: "clamp(1rem, 3vmin, 1.75rem)", lineHeight: 1.4, maxWidth: "36em" }}>
        {text.refusedText}
      </Box>
      <Button variant="outlined" color="inherit" onClick={onRetry}>
        {text.tryAgain}
      </Button>
    </Box>
  );
}
