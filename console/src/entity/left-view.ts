// A change can take an object out of the view of whoever makes it, as a hand-over does; only its id is answered then.
import { type IdReply, isShown } from "@psp/contract/kit/id-reply.ts";
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { EntityType } from "../api/query-client.ts";
import { useGoFromHere } from "../address/navigation.tsx";
import { useToasts } from "../ui/feedback/Toasts.tsx";

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
