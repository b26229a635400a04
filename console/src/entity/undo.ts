// Undo of a single change for 10 s, as long as nothing else has changed the object (docs/rules/console.md#undo).
import type { IdResponse } from "@psp/contract/kit/id-reply.ts";
import { isFullObject } from "@psp/contract/kit/is-full-object.ts";
import { useQueryClient } from "@tanstack/react-query";
import { CallError } from "../api/call.ts";
import type { EntityType } from "../api/query-client.ts";
import { useFailureToast } from "../api/useFailure.ts";
import { useToasts } from "../ui/feedback/Toasts.tsx";
import { cacheResponse, noLongerVisibleText, type SeenVersion } from "./saving.ts";

type Stored = { _id: string; version: number };

type Reversible<R extends Stored, Change> = {
  type: EntityType;
  update: (id: string, change: Change, seen: SeenVersion) => Promise<R | IdResponse>;
  useRefresh: () => () => Promise<void>;
};

export type Undo<Change> = {
  change: Change;
  /** What was saved: "Owner, Groups changed". */
  title: string;
  undone?: string;
};

const text = {
  undo: "Undo",
  undone: "Change undone",
  failed: "The change could not be undone.",
  changedAgain: (subject: string) => `${subject} was changed again in the meantime.`,
};

/** Offers to undo the last save. `subject` as in "This sensor was changed again in the meantime." */
export function useUndo<R extends Stored, Change>(entity: Reversible<R, Change>, subject: string) {
  const client = useQueryClient();
  const toasts = useToasts();
  const fail = useFailureToast();
  const refresh = entity.useRefresh();
  const undoChange = async ({ _id, version }: Stored, { change, undone = text.undone }: Undo<Change>) => {
    try {
      const answer = await entity.update(_id, change, { version });
      cacheResponse(client, entity.type, answer);
      void refresh();
      toasts.success(isFullObject(answer) ? undone : noLongerVisibleText(subject));
    } catch (error) {
      void client.invalidateQueries({ queryKey: [entity.type, "one", _id] });
      if (error instanceof CallError && error.status === 412)
        toasts.error({ title: text.failed, text: text.changedAgain(subject) });
      else fail(text.failed)(error);
    }
  };
  return (stored: Stored, undo: Undo<Change>) =>
    toasts.success(undo.title, { label: text.undo, onClick: () => void undoChange(stored, undo) });
}
