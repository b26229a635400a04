// Lists the sessions of the user's login; each can be ended (ADR 0009).
import { endOtherSessions, endSession, listSessions } from "@psp/contract/auth/auth.api.ts";
import type { ActiveSession } from "@psp/contract/auth/auth.ts";
import { Alert, Box, Button, Chip } from "@mui/material";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { failureText, useAttempt } from "../../api/useFailure.ts";
import { useUser } from "../../api/session/session.tsx";
import { ConfirmDialog } from "../../ui/form/ConfirmDialog.tsx";
import { RelativeTime } from "../../ui/time/RelativeTime.tsx";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { accountText } from "../account.text.ts";

const queryKey = ["session", "list"];

function useEnding<V, R>(mutationFn: (which: V) => Promise<R>) {
  const client = useQueryClient();
  return useMutation({ mutationFn, onSettled: () => client.invalidateQueries({ queryKey }) });
}

export function OwnSessions() {
  const user = useUser();
  // Polls every minute, because there are no live messages about sessions.
  const { data, error } = useQuery({
    queryKey,
    queryFn: ({ signal }) => call(listSessions, { signal }),
    refetchInterval: 60_000,
  });
  const endOthers = useEnding(() => call(endOtherSessions));
  const attempt = useAttempt();
  const toasts = useToasts();
  const [asking, setAsking] = useState(false);
  const others = (data ?? []).filter(({ current }) => !current).length;
  const confirm = async () => {
    await attempt(accountText.signOutFailed, async () => {
      const { ended } = await endOthers.mutateAsync();
      toasts.success(accountText.signedOutOthers(ended));
    });
    setAsking(false);
  };
  return (
    <>
      <Box sx={{ color: "text.secondary", overflowWrap: "anywhere" }}>{accountText.sessionsOf(user.email)}</Box>
      {error === null ? null : <Alert severity="error">{`${accountText.sessionsFailed}. ${failureText(error)}`}</Alert>}
      <Box component="ul" sx={{ listStyle: "none", m: 0, p: 0, display: "flex", flexDirection: "column", gap: 3 }}>
        {(data ?? []).map((session) => (
          <SessionItem key={session._id} session={session} />
        ))}
      </Box>
      {others === 0 ? null : (
        <Button variant="outlined" color="inherit" onClick={() => setAsking(true)} sx={{ alignSelf: "start" }}>
          {accountText.signOutOthers}
        </Button>
      )}
      <ConfirmDialog
        open={asking}
        title={accountText.signOutOthers}
        confirmLabel={accountText.signOut}
        danger={false}
        onConfirm={confirm}
        onClose={() => setAsking(false)}
      >
        {accountText.signOutOthersQuestion(others)}
      </ConfirmDialog>
    </>
  );
}

function SessionItem({ session }: { session: ActiveSession }) {
  const end = useEnding((id: string) => call(endSession, { params: { id } }));
  const attempt = useAttempt();
  const toasts = useToasts();
  const client = session.client ?? accountText.unknownClient;
  const signOut = () =>
    attempt(accountText.signOutFailed, async () => {
      await end.mutateAsync(session._id);
      toasts.success(accountText.signedOutOne(client));
    });
  return (
    <Box component="li" sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", columnGap: 3, rowGap: 1 }}>
      <Box sx={{ mr: "auto", minWidth: 0 }}>
        <Box sx={{ display: "flex", alignItems: "center", gap: 2, overflowWrap: "anywhere" }}>
          {client}
          {session.current ? <Chip size="small" label={accountText.thisDevice} /> : null}
        </Box>
        <Box sx={{ color: "text.secondary", fontSize: "0.75rem" }}>
          {accountText.signedIn} <RelativeTime value={session.createdAt} />, {accountText.lastUsed}{" "}
          <RelativeTime value={session.lastSeenAt} />
        </Box>
      </Box>
      {session.current ? null : (
        <Button
          size="small"
          variant="outlined"
          color="inherit"
          aria-label={accountText.signOutOne(client)}
          disabled={end.isPending}
          onClick={() => void signOut()}
        >
          {accountText.signOut}
        </Button>
      )}
    </Box>
  );
}
