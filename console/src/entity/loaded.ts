// Loads the object of a dialog, or closes it with the reason.
import type { UseQueryResult } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { CallError } from "../api/call.ts";
import { useFailureToast } from "../api/useFailure.ts";
import { useGo } from "../address/navigation.tsx";
import { useOwners } from "../api/session/useCan.ts";
import type { OwnedRow } from "./entity.ts";

/**
 * The object from the server. If it doesn't exist, navigates back and shows a toast titled `failed`. Loaded data is kept while
 * the server is unreachable, because the user may be typing.
 */
export function useLoadedObject<T>(
  { data, isPlaceholderData, error }: UseQueryResult<T>,
  failed: string,
  back: string,
) {
  const go = useGo();
  const fail = useFailureToast();
  const isHere = data !== undefined && !isPlaceholderData;
  const isLost = error !== null && (!isHere || (error instanceof CallError && error.status === 404));
  useEffect(() => {
    if (!isLost) return;
    fail(failed)(error);
    go(back, { replace: true });
  }, [isLost, error, failed, fail, go, back]);
  return isHere && !isLost ? data : undefined;
}

export function useLoadedObjectWithOwner<T extends OwnedRow>(answer: UseQueryResult<T>, failed: string, back: string) {
  const object = useLoadedObject(answer, failed, back);
  const { ownerOf, ready } = useOwners(answer.data === undefined ? [] : [answer.data.owner._id]);
  const [opened, setOpened] = useState<string>();
  if (object === undefined) return undefined;
  if (ready && opened !== object._id) setOpened(object._id);
  // Stays open while another owner's standing loads, so that input isn't lost.
  return ready || opened === object._id ? { object, owner: ownerOf(object.owner._id) } : undefined;
}
