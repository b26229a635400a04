// Lists the sessions on a device page, which users can end, extend, approve or reject (PC-01).
import { changeRemoteSession, endRemoteSession } from "@psp/contract/remote-access/remote-access.api.ts";
import type { RemoteSession } from "@psp/contract/remote-access/remote-access.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { Box, Button, Divider, Typography } from "@mui/material";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../api/call.ts";
import { useFailureToast } from "../api/useFailure.ts";
import { useCan, useOwners } from "../api/session/useCan.ts";
import { Disabled } from "../ui/feedback/Disabled.tsx";
import { useToasts } from "../ui/feedback/Toasts.tsx";
import { RelativeTime } from "../ui/time/RelativeTime.tsx";
import { configurationPageText as text } from "./configuration-page.text.ts";
import { sessionsKey, useRemoteSessions } from "./remote-sessions.queries.ts";

export function RemoteSessions({ sensor }: { sensor: Sensor }) {
  const can = useCan();
  const { ownerOf } = useOwners([sensor.owner._id]);
  const mayEdit = can.edit("sensor", ownerOf(sensor.owner._id));
  const { data: sessions } = useRemoteSessions(sensor._id);
  if (sessions === undefined) return null;
  return (
    <Box component="section" aria-label={text.sessions} sx={{ display: "flex", flexDirection: "column", gap: 2 }}>
      <Divider />
      <Typography variant="h3">{text.sessions}</Typography>
      {sessions.length === 0 ? <Typography sx={{ color: "text.secondary" }}>{text.none}</Typography> : null}
      <Box component="ul" sx={{ listStyle: "none", m: 0, p: 0, display: "flex", flexDirection: "column", gap: 3 }}>
        {sessions.map((session) => (
          <Row key={session._id} id={sensor._id} session={session} mayEdit={mayEdit} />
        ))}
      </Box>
    </Box>
  );
}

type RowProps = { id: string; session: RemoteSession; mayEdit: boolean };

function Row({ id, session, mayEdit }: RowProps) {
  const { end, change } = useSessionActions(id, session._id);
  const who = session.account.name;
  const isOpen = session.state === "open";
  const asked = `${text.mode[session.mode]} · ${text.lengths(session.minutes)}`;
  const words = {
    waiting: `${text.waiting} · ${asked}`,
    granted: `${text.agreed} · ${asked}`,
    open: text.mode[session.mode],
  };
  return (
    <Box component="li" sx={{ display: "flex", flexWrap: "wrap", gap: 2, alignItems: "center" }}>
      <Box sx={{ flex: "1 1 14rem", minWidth: 0 }}>
        <Typography sx={{ fontWeight: 600, overflowWrap: "anywhere" }}>{who}</Typography>
        <Typography variant="body2" sx={{ overflowWrap: "anywhere" }}>
          {session.reason === "" ? text.noReason : session.reason}
        </Typography>
        <Typography variant="body2" sx={{ color: "text.secondary" }}>
          {`${words[session.state]} · ${isOpen ? text.openedAt : text.askedAt} `}
          <RelativeTime value={session.startedAt} />
          {session.until === null ? null : (
            <>
              {` · ${text.endsAt} `}
              <RelativeTime value={session.until} />
            </>
          )}
        </Typography>
      </Box>
      <Box sx={{ display: "flex", flexWrap: "wrap", gap: 2 }}>
        {session.mayConsent ? (
          <>
            <Button variant="contained" onClick={() => change.mutate({ consent: true })}>
              {text.allow}
            </Button>
            <Button variant="outlined" color="inherit" onClick={() => change.mutate({ consent: false })}>
              {text.refuse}
            </Button>
          </>
        ) : null}
        {isOpen && session.isOwn ? (
          <Button
            variant="outlined"
            color="inherit"
            aria-label={text.extendFor(session.minutes)}
            loading={change.isPending}
            onClick={() => change.mutate({ minutes: session.minutes })}
          >
            {text.extend}
          </Button>
        ) : null}
        {session.mayConsent ? null : (
          <Disabled reason={session.isOwn || mayEdit ? undefined : text.noEnd}>
            <Button
              variant="outlined"
              color="error"
              aria-label={text.endFor(who)}
              loading={end.isPending}
              onClick={() => end.mutate()}
            >
              {text.endNow}
            </Button>
          </Disabled>
        )}
      </Box>
    </Box>
  );
}

function useSessionActions(id: string, sessionId: string) {
  const client = useQueryClient();
  const toasts = useToasts();
  const fail = useFailureToast();
  const onSettled = () => client.invalidateQueries({ queryKey: sessionsKey(id) });
  const params = { id, sessionId };
  const end = useMutation({
    mutationFn: () => call(endRemoteSession, { params }),
    onSuccess: () => toasts.success(text.ended),
    onError: fail(text.endFailed),
    onSettled,
  });
  const change = useMutation({
    mutationFn: (body: { minutes: number } | { consent: boolean }) => call(changeRemoteSession, { params, body }),
    onError: (error, body) => fail("minutes" in body ? text.extendFailed : text.answerFailed)(error),
    onSettled,
  });
  return { end, change };
}
