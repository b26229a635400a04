// Asks before an init token is deleted; opens over the list at /init-token/delete/:id.
import { useParams } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { failureText, useFailure } from "../api/useFailure.ts";
import { useGo } from "../navigation.tsx";
import { paths } from "../paths.ts";
import { useCan, useOwners } from "../session/useCan.ts";
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx";
import { useToasts } from "../ui/Toasts.tsx";
import { useDeleteInitToken, useInitToken } from "./init-token.queries.ts";
import { initTokenText } from "./init-token.text.ts";

export function DeleteInitTokenDialog() {
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const go = useGo();
  const can = useCan();
  const toasts = useToasts();
  const fail = useFailure();
  const [done, setDone] = useState(false);
  const { data: token, isError, error } = useInitToken(id);
  const { ownerOf, ready } = useOwners(token === undefined ? [] : [token.owner._id]);
  const remove = useDeleteInitToken(id);
  const refused = token !== undefined && ready && !can.delete("sensor", ownerOf(token.owner._id));
  const close = () => go(paths.initTokens, { replace: true });
  // What can't be deleted closes by itself and says why.
  const reason = isError ? failureText(error) : refused ? initTokenText.noDelete : null;
  useEffect(() => {
    if (reason === null || done || !remove.isIdle) return;
    setDone(true);
    fail(initTokenText.deleteFailed)(new Error(reason));
    close();
  });
  if (token === undefined || (reason !== null && remove.isIdle)) return null;
  return (
    <ConfirmDialog
      open={!done}
      title={initTokenText.deleteTitle}
      confirmLabel="Delete"
      onConfirm={async () => {
        try {
          await remove.mutateAsync();
          setDone(true);
          toasts.success(initTokenText.deleted(token.name));
          close();
        } catch (failure) {
          fail(initTokenText.deleteFailed)(failure);
        }
      }}
      onClose={close}
    >
      {initTokenText.deleteQuestion(token.name, token.owner.name)}
    </ConfirmDialog>
  );
}
