// Undoes a change of tags (docs/rules/locations.md#undo-of-tags).
import { batchUndoLocations } from "@psp/contract/location/location.batch.api.ts";
import { useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { useFailureToast } from "../../api/useFailure.ts";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { locationBatchText } from "./location.batch.text.ts";

export function useTagsUndo() {
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
