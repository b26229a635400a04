// Undoes changes of tags and opening hours (docs/rules/locations.md#undo-of-location-batches).
import { batchUndoLocations } from "@psp/contract/location/location.batch.api.ts";
import { useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { call } from "../../api/call.ts";
import { useFailureToast } from "../../api/useFailure.ts";
import type { BatchActionDialogProps } from "../../entity/batch/list-batch.tsx";
import type { BatchResult } from "../../ui/batch/batchRun.ts";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { locationBatchText, updatedTexts } from "./location.batch.text.ts";
import { useBatchRun } from "./useBatchRun.ts";

/** A batch whose `close` offers to undo what it changed. */
export function useBatchWithUndo(props: BatchActionDialogProps) {
  const undoIds = useRef<string[]>([]);
  const batch = useBatchRun(props, (id) => void undoIds.current.push(id));
  const toasts = useToasts();
  const undo = useBatchUndo();
  const close = (result?: BatchResult) => {
    const ids = undoIds.current;
    if (result !== undefined && result.success > 0 && ids.length > 0)
      toasts.success(updatedTexts.success(result.success), {
        label: locationBatchText.undo,
        onClick: () => void undo(ids),
      });
    props.onClose(result);
  };
  return { ...batch, close };
}

function useBatchUndo() {
  const client = useQueryClient();
  const toasts = useToasts();
  const fail = useFailureToast();
  return async (undoIDs: string[]) => {
    try {
      const result = await call(batchUndoLocations, { body: { undoIDs } });
      const failed = result.fail.length;
      if (failed > 0) toasts.error({ title: locationBatchText.undoFailed(failed) });
      if (failed === 0 || result.success > 0) toasts.success(locationBatchText.undone(result.success));
    } catch (error) {
      fail(locationBatchText.undoNotDone)(error);
    }
    void client.invalidateQueries({ queryKey: ["measurement"] });
  };
}
