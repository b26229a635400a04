// Card that shows whether the device page is reachable, opens it by auto-login, and lists active sessions (PC-01).
import { deviceLink } from "@psp/contract/remote-access/device-link.ts";
import { maxReasonLength, sessionMinutes } from "@psp/contract/remote-access/remote-access.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { Alert, Box, Button, Link, TextField, Typography } from "@mui/material";
import { useState } from "react";
import { useCan, useOwners } from "../api/session/useCan.ts";
import { standaloneLinkStyles } from "../ui/theme/targets.ts";
import { FactList } from "../ui/FactList.tsx";
import { StatusDot } from "../ui/feedback/StatusDot.tsx";
import { SectionCard } from "../ui/SectionCard.tsx";
import { formatExactTime } from "../ui/time/RelativeTime.tsx";
import { visuallyHidden } from "../ui/visuallyHidden.ts";
import { configurationPageText as text } from "./configuration-page.text.ts";
import { RemoteSessions } from "./RemoteSessions.tsx";
import { useRemoteSessions } from "./remote-sessions.queries.ts";
import { type AutoLoginState, getLinkRoot, useAutoLogin } from "./useAutoLogin.ts";
import { SelectField } from "../ui/form/SelectField.tsx";

const lengths = [15, 30, 60, 120, 240, 480] as const;

export function ConfigurationPage({ sensor }: { sensor: Sensor }) {
  const { psconnect } = sensor;
  const isConnected = psconnect?.connectionStatus === "connected";
  const since = psconnect?.statusChangedAt ?? null;
  return (
    <SectionCard title={text.title}>
      {isConnected ? (
        <StatusDot tone="good" label={text.connected} />
      ) : (
        <Alert severity="info">{psconnect === null ? text.missing : text.disconnected}</Alert>
      )}
      {since === null ? null : <FactList facts={[[text.since, formatExactTime(Date.parse(since))]]} />}
      {isConnected ? <Opening sensor={sensor} /> : null}
      {psconnect === null ? null : <RemoteSessions sensor={sensor} />}
    </SectionCard>
  );
}

function Opening({ sensor }: { sensor: Sensor }) {
  const can = useCan();
  const { ownerOf, ready } = useOwners([sensor.owner._id]);
  const mayEdit = can.edit("sensor", ownerOf(sensor.owner._id));
  const [reason, setReason] = useState("");
  const [minutes, setMinutes] = useState<number>(sessionMinutes.standard);
  const { state, start, settle } = useAutoLogin(sensor._id);
  const { data: sessions = [] } = useRemoteSessions(sensor._id);
  const isGranted = sessions.some((session) => session.isOwn && session.state === "granted");
  const isTooLong = reason.length > maxReasonLength;
  const isMissing = state.status === "reason-missing" && reason.trim() === "";
  return (
    <>
      <Box>
        <Link
          href={deviceLink(getLinkRoot(), sensor._id)}
          target="_blank"
          rel="noopener noreferrer"
          sx={standaloneLinkStyles}
        >
          {text.link}
        </Link>
        <Typography variant="body2" sx={{ color: "text.secondary" }}>
          {text.linkHint}
        </Typography>
      </Box>
      <Box sx={{ display: "flex", flexWrap: "wrap", gap: 3 }}>
        <TextField
          label={text.reason}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
          error={isTooLong || isMissing}
          helperText={
            isTooLong ? text.reasonTooLong(maxReasonLength) : isMissing ? text.reasonMissing : text.reasonHint
          }
          sx={{ flex: "1 1 16rem" }}
        />
        <SelectField
          label={text.length}
          value={minutes}
          onChange={setMinutes}
          choices={lengths.map((length) => [length, text.lengths(length)])}
          sx={{ flex: "0 1 11rem" }}
        />
      </Box>
      {ready && !mayEdit ? <Typography variant="body2">{text.readOnly}</Typography> : null}
      <Box>
        <Button
          variant="contained"
          loading={state.status === "pending"}
          onClick={() => {
            if (!isTooLong) void start({ mayEdit, reason: reason.trim(), minutes });
          }}
        >
          {text.open}
        </Button>
      </Box>
      <span role="status" style={visuallyHidden}>
        {state.status === "pending" ? text.opening : ""}
      </span>
      <Outcome state={isGranted && state.status === "asked" ? { status: "none" } : state} onFollowed={settle} />
      {isGranted ? <Alert severity="success">{text.granted}</Alert> : null}
    </>
  );
}

function Outcome({ state, onFollowed }: { state: AutoLoginState; onFollowed: () => void }) {
  switch (state.status) {
    case "auto-login-failed":
      return (
        <Alert severity="error" role="alert">
          {text.failed}
        </Alert>
      );
    case "asked":
      return (
        <Alert severity="info" role="status">
          {text.asked}
        </Alert>
      );
    case "blocked":
      return (
        <Alert severity="warning" role="alert">
          {`${text.blocked} `}
          <Link href={state.link} target="_blank" rel="noopener noreferrer" onClick={onFollowed}>
            {text.openHere}
          </Link>
        </Alert>
      );
    case "none":
    case "pending":
    case "reason-missing":
      return null;
  }
}
