// Live preview of a location's display, opened over the form (OC-03).
import { createTicket } from "@psp/contract/auth/auth.api.ts";
import { getDisplay } from "@psp/contract/occupancy/occupancy.api.ts";
import CloseRounded from "~icons/ic/round-close";
import { Alert, Box, Button, Dialog } from "@mui/material";
import { useId, useMemo } from "react";
import { useGo, useParam } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { call } from "../../api/call.ts";
import { failureText } from "../../api/useFailure.ts";
import { DisplayGate } from "../DisplayGate.tsx";
import type { LightSource } from "./light-channel.ts";
import { lightText as text } from "./light.text.ts";
import { CurrentLight } from "./CurrentLight.tsx";
import { useLight } from "./useLight.ts";

/** Uses the session of the user. Each ticket opens one socket. */
function sessionSource(id: string): LightSource {
  return {
    token: async () => (await call(createTicket)).ticket,
    loadDisplay: (signal) => call(getDisplay, { params: { id }, signal }),
    renew: () => false,
  };
}

export function LiveDisplayPreview() {
  const id = useParam("id");
  return (
    <DisplayGate id={id}>
      <Live key={id} id={id} />
    </DisplayGate>
  );
}

function Live({ id }: { id: string }) {
  const go = useGo();
  const titleId = useId();
  const source = useMemo(() => sessionSource(id), [id]);
  const now = useLight(id, source);
  const close = () => go(paths.occupancyApp(id));
  return (
    <Dialog
      open
      fullScreen
      onClose={close}
      aria-labelledby={titleId}
      slotProps={{ paper: { sx: { border: 0, borderRadius: 0 } } }}
    >
      <Box sx={{ display: "flex", alignItems: "center", gap: 4, px: 4, py: 2 }}>
        <Box
          component="h2"
          id={titleId}
          sx={{ m: 0, mr: "auto", fontSize: "1rem", lineHeight: "24px", fontWeight: 600 }}
        >
          {text.live}
        </Box>
        <Button color="inherit" variant="outlined" startIcon={<CloseRounded />} onClick={close} autoFocus>
          {text.close}
        </Button>
      </Box>
      {now.refused === null ? null : (
        <Alert severity="error" sx={{ m: 4 }}>
          {failureText(now.refused)}
        </Alert>
      )}
      <Box sx={{ flex: 1, minHeight: 0 }}>
        <CurrentLight {...now} isLost={now.isLost || now.refused !== null} />
      </Box>
    </Dialog>
  );
}
