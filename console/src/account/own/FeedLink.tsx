// Creates, replaces and revokes the URL of the account's GTFS-Realtime feed, which is shown only once (SE-06, ADR 0024).
import { createFeedToken, endFeedToken, getFeedToken } from "@psp/contract/feed/feed.api.ts";
import { Alert, Box, Button, Skeleton } from "@mui/material";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { call } from "../../api/call.ts";
import { failureText, useAttempt } from "../../api/useFailure.ts";
import { useUser } from "../../api/session/session.tsx";
import { toOwner, useCan } from "../../api/session/useCan.ts";
import { Disabled } from "../../ui/feedback/Disabled.tsx";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { ConfirmDialog } from "../../ui/form/ConfirmDialog.tsx";
import { CopyField } from "../../ui/form/CopyField.tsx";
import { RelativeTime } from "../../ui/time/RelativeTime.tsx";
import { feedText as text } from "../account.text.ts";

const queryKey = ["feed token"];

/** Actions that invalidate the current URL and need confirmation. */
type Ending = "replace" | "revoke";

export function FeedLink() {
  const can = useCan();
  const user = useUser();
  const client = useQueryClient();
  const attempt = useAttempt();
  const [url, setUrl] = useState<string | null>(null);
  const [ending, setEnding] = useState<Ending | null>(null);
  const state = useRef<HTMLDivElement>(null);
  const { data, error } = useQuery({ queryKey, queryFn: ({ signal }) => call(getFeedToken, { signal }) });
  const create = useMutation({
    mutationFn: () => call(createFeedToken),
    onSuccess: ({ url: made, createdAt }) => {
      // The pressed button disappears, so move the focus.
      state.current?.focus();
      setUrl(made);
      client.setQueryData(queryKey, { createdAt });
    },
  });
  if (error !== null) return <Alert severity="error">{`${text.loadFailed}. ${failureText(error)}`}</Alert>;
  if (data === undefined) return <Skeleton variant="rounded" height={96} />;
  const noEdit = can.editAccount(toOwner(user)) ? undefined : text.noEdit;
  const reason = noEdit ?? (create.isPending ? text.creating : undefined);
  const common = { variant: "outlined", color: "inherit" } as const;
  return (
    <>
      <Box sx={{ color: "text.secondary" }}>{text.hint}</Box>
      <Box ref={state} tabIndex={-1} sx={{ outline: "none" }}>
        {data.createdAt === null ? (
          text.none
        ) : (
          <>
            {text.created} <RelativeTime value={data.createdAt} />
          </>
        )}
      </Box>
      {url === null ? null : (
        <>
          <Alert severity="info">{text.once}</Alert>
          <CopyField label={text.address} value={url} copyLabel={text.copy} />
        </>
      )}
      <Box sx={{ display: "flex", flexWrap: "wrap", gap: 2 }}>
        {data.createdAt === null ? (
          <Disabled reason={reason}>
            <Button {...common} onClick={() => void attempt(text.createFailed, () => create.mutateAsync())}>
              {text.create}
            </Button>
          </Disabled>
        ) : (
          <>
            <Disabled reason={reason}>
              <Button {...common} onClick={() => setEnding("replace")}>
                {text.replace}
              </Button>
            </Disabled>
            <Button {...common} color="error" onClick={() => setEnding("revoke")}>
              {text.revoke}
            </Button>
          </>
        )}
      </Box>
      <Asking
        ending={ending}
        onReplace={() => create.mutateAsync()}
        onRevoked={(none) => {
          setUrl(null);
          client.setQueryData(queryKey, none);
        }}
        onRevokedAndGone={() => state.current?.focus()}
        onClose={() => setEnding(null)}
      />
    </>
  );
}

type AskingProps = {
  ending: Ending | null;
  onReplace: () => Promise<unknown>;
  onRevoked: (state: Awaited<ReturnType<typeof revokeAddress>>) => void;
  /** Called after the dialog and the button are gone, to move the focus. */
  onRevokedAndGone: () => void;
  onClose: () => void;
};

const revokeAddress = () => call(endFeedToken);

function Asking({ ending, onReplace, onRevoked, onRevokedAndGone, onClose }: AskingProps) {
  const toasts = useToasts();
  const isRevoked = useRef(false);
  const [failure, setFailure] = useState<string | null>(null);
  // Keeps the text during the closing animation, when `ending` is already null.
  const [shown, setShown] = useState<Ending>("revoke");
  if (ending !== null && ending !== shown) setShown(ending);
  const close = () => {
    setFailure(null);
    onClose();
  };
  const confirm = async () => {
    setFailure(null);
    try {
      if (shown === "replace") await onReplace();
      else {
        onRevoked(await revokeAddress());
        isRevoked.current = true;
        toasts.success(text.revoked);
      }
      close();
    } catch (error) {
      setFailure(`${shown === "replace" ? text.createFailed : text.revokeFailed} ${failureText(error)}`);
    }
  };
  return (
    <ConfirmDialog
      open={ending !== null}
      title={text[shown]}
      confirmLabel={text[shown]}
      error={failure}
      onConfirm={confirm}
      onClose={close}
      onExited={() => {
        if (isRevoked.current) onRevokedAndGone();
        isRevoked.current = false;
      }}
    >
      {shown === "replace" ? text.replaceQuestion : text.revokeQuestion}
    </ConfirmDialog>
  );
}
