// Saves with optimistic locking. On a conflict, the user decides.
// If a change removes the object from the user's view, the server returns only its id.
import type { IdResponse } from "@psp/contract/kit/id-reply.ts";
import { isFullObject } from "@psp/contract/kit/is-full-object.ts";
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useGoAfterSave } from "../address/navigation.tsx";
import { CallError } from "../api/call.ts";
import type { EntityType } from "../api/query-client.ts";
import { useAttempt } from "../api/useFailure.ts";
import { useToasts } from "../ui/feedback/Toasts.tsx";

/** Version that the user saw, sent with a change. Without it, the change overwrites concurrent ones. */
export type SeenVersion = { version?: number };

type SavingProps = {
  baseVersion: number;
  attempt: (seen: SeenVersion) => Promise<unknown>;
  /** Message title for failures other than conflicts. */
  failed: string;
  onFailure?: () => void;
  onReload: () => void;
};

export function useSaving({ baseVersion, attempt, failed, onFailure, onReload }: SavingProps) {
  const [open, setOpen] = useState(false);
  const tryTo = useAttempt();
  const send = async (seen: SeenVersion) => {
    try {
      await attempt(seen);
    } catch (error) {
      if (!(error instanceof CallError) || error.status !== 412) throw error;
      setOpen(true);
    }
  };
  const save = (seen: SeenVersion) => {
    setOpen(false);
    return tryTo(failed, () => send(seen), onFailure);
  };
  return {
    save: () => save({ version: baseVersion }),
    conflict: {
      open,
      onReload: () => {
        setOpen(false);
        onReload();
      },
      onOverwrite: () => void save({}),
      onClose: () => setOpen(false),
    },
  };
}

const keyOf = (type: EntityType, id: string) => [type, "one", id];

/** Caches the response to a change. If it is only an id, the object left the user's view and isn't refetched. */
export function cacheResponse<T extends { _id: string; version: number }>(
  client: QueryClient,
  type: EntityType,
  answer: T | IdResponse,
): void {
  const queryKey = keyOf(type, answer._id);
  if (isFullObject(answer)) client.setQueryData(queryKey, answer);
  else void client.invalidateQueries({ queryKey, refetchType: "none" });
}

export const noLongerVisibleText = (subject: string) => `Saved. ${subject} is no longer visible to you.`;

/** For an object page whose object left the view: shows a message, navigates to `list`, then removes it from the cache. */
export function useNoLongerVisible(type: EntityType, id: string, subject: string, list: string) {
  const client = useQueryClient();
  const toasts = useToasts();
  const go = useGoAfterSave();
  const left = useRef(false);
  useEffect(
    () => () => {
      if (!left.current) return;
      queueMicrotask(() => client.removeQueries({ queryKey: keyOf(type, id), type: "inactive" }));
    },
    [client, type, id],
  );
  return () => {
    left.current = true;
    toasts.success(noLongerVisibleText(subject));
    go(list);
  };
}
