// Asks before a location is deleted; opens over the list at /location/delete/:id.
import { useParams } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { failureText, useFailure } from "../api/useFailure.ts";
import { useGo } from "../navigation.tsx";
import { paths } from "../paths.ts";
import { useCan, useOwners } from "../session/useCan.ts";
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx";
import { useToasts } from "../ui/Toasts.tsx";
import { useDeleteLocation, useLocation } from "./location.queries.ts";
import { locationText } from "./location.text.ts";

export function DeleteLocationDialog() {
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const go = useGo();
  const can = useCan();
  const toasts = useToasts();
  const fail = useFailure();
  const [done, setDone] = useState(false);
  const { data: location, isError, error } = useLocation(id);
  const { ownerOf, ready } = useOwners(location === undefined ? [] : [location.owner._id]);
  const remove = useDeleteLocation(id);
  const refused = location !== undefined && ready && !can.delete("measurement", ownerOf(location.owner._id));
  const close = () => go(paths.locations, { replace: true });
  // What can't be deleted closes by itself and says why.
  const reason = isError ? failureText(error) : refused ? locationText.noDelete : null;
  useEffect(() => {
    if (reason === null || done || !remove.isIdle) return;
    setDone(true);
    fail(locationText.deleteFailed)(new Error(reason));
    close();
  });
  if (location === undefined || (reason !== null && remove.isIdle)) return null;
  return (
    <ConfirmDialog
      open={!done}
      title={locationText.deleteTitle}
      confirmLabel="Delete"
      onConfirm={async () => {
        try {
          await remove.mutateAsync();
          setDone(true);
          toasts.success(locationText.deleted(location.name));
          close();
        } catch (failure) {
          fail(locationText.deleteFailed)(failure);
        }
      }}
      onClose={close}
    >
      {locationText.deleteQuestion(location.name, location.owner.name)}
    </ConfirmDialog>
  );
}
