// Saving something that others edit, too: with the version that was seen; when that is no longer the last, the person decides.
// A change can take an object out of the view of the person who makes it, as a hand-over does; only its id is answered then.
import { type IdReply, isShown } from "@psp/contract/kit/id-reply.ts";
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useGoFromHere } from "../address/navigation.tsx";
import { CallError } from "../api/call.ts";
import type { EntityType } from "../api/query-client.ts";
import { useAttempt } from "../api/useFailure.ts";
import { useToasts } from "../ui/feedback/Toasts.tsx";

/** Goes along with a change; without a version it overwrites whatever is there. */
export type Seen = { version?: number };

type SavingProps = {
  /** The version that the input was made over. */
  baseVersion: number;
  /** Checks the input and sends it; a refusal is thrown. */
  attempt: (seen: Seen) => Promise<unknown>;
  /** What is said when the change is refused for another reason than somebody else's. */
  failed: string;
  onFailure?: () => void;
  /** Drops the input for what is there now. */
  onReload: () => void;
};

/** `save` for the form, and `conflict` for its `ConflictDialog`. */
export function useSaving({ baseVersion, attempt, failed, onFailure, onReload }: SavingProps) {
  const [open, setOpen] = useState(false);
  const tryTo = useAttempt();
  const send = async (seen: Seen) => {
    try {
      await attempt(seen);
    } catch (error) {
      if (!(error instanceof CallError) || error.status !== 412) throw error;
      setOpen(true);
    }
  };
  const save = (seen: Seen) => {
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

/** Keeps the answer to a change as what is known of the object. Of one that left the view nothing new is known or asked. */
export function keepAnswer<T extends { _id: string; version: number }>(
  client: QueryClient,
  type: EntityType,
  answer: T | IdReply,
): void {
  const queryKey = keyOf(type, answer._id);
  if (isShown(answer)) client.setQueryData(queryKey, answer);
  else void client.invalidateQueries({ queryKey, refetchType: "none" });
}

export const leftViewText = (subject: string) => `Saved. ${subject} is no longer in your view.`;

/** For the form on the page of an object that has left the view: says so, goes to `list`, and then forgets the object. */
export function useLeftView(type: EntityType, id: string, subject: string, list: string) {
  const client = useQueryClient();
  const toasts = useToasts();
  const go = useGoFromHere();
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
    toasts.success(leftViewText(subject));
    go(list);
  };
}
