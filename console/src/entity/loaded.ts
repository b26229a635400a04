// What a dialog over a list needs before it can open: the object itself, or the reason why there is none.
import type { UseQueryResult } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { CallError } from "../api/call.ts";
import { useFailure } from "../api/useFailure.ts";
import { useGo } from "../address/navigation.tsx";
import { useOwners } from "../session/useCan.ts";
import type { OwnedRow } from "./entity.ts";

/**
 * The object once the server has sent it. When it can't be had, or is gone, goes back and says so in a toast titled
 * `failed`. What was loaded stays while the server can't be reached: somebody may be typing into it.
 */
export function useLoaded<T>({ data, isPlaceholderData, error }: UseQueryResult<T>, failed: string, back: string) {
  const go = useGo();
  const fail = useFailure();
  const isHere = data !== undefined && !isPlaceholderData;
  const isLost = error !== null && (!isHere || (error instanceof CallError && error.status === 404));
  useEffect(() => {
    if (!isLost) return;
    fail(failed)(error);
    go(back, { replace: true });
  }, [isLost, error, failed, fail, go, back]);
  return isHere && !isLost ? data : undefined;
}

/** The same with the owner of the object, for asking rights about it. */
export function useLoadedWithOwner<T extends OwnedRow>(answer: UseQueryResult<T>, failed: string, back: string) {
  const object = useLoaded(answer, failed, back);
  const { ownerOf, ready } = useOwners(answer.data === undefined ? [] : [answer.data.owner._id]);
  const [opened, setOpened] = useState<string>();
  if (object === undefined) return undefined;
  if (ready && opened !== object._id) setOpened(object._id);
  // It stays open while another owner is looked up to whom somebody hands it over: what is being typed must stay, too.
  return ready || opened === object._id ? { object, owner: ownerOf(object.owner._id) } : undefined;
}
