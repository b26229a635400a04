// Sets the opening hours of the selected locations, with undo (docs/rules/batches.md#undo).
import type { FormerHours } from "@psp/contract/location/location.batch.api.ts";
import type { OpeningHours } from "@psp/contract/opening/opening-hours.ts";
import { Box } from "@mui/material";
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useFailureToast } from "../../api/useFailure.ts";
import type { BatchActionDialogProps } from "../../entity/batch/list-batch.tsx";
import { checkOpening, fieldOfPath, initialHours } from "../../opening/opening.rules.ts";
import { openingText } from "../../opening/opening.text.ts";
import { OpeningChoice } from "../../opening/OpeningChoice.tsx";
import { BatchDialog } from "../../ui/batch/BatchDialog.tsx";
import type { BatchResult } from "../../ui/batch/batchRun.ts";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { restoreHours } from "./location.batch.ts";
import { locationBatchText as text, updatedTexts } from "./location.batch.text.ts";
import { useBatch } from "./useLocationBatchRun.ts";

const id = "batch-hours";

export function HoursDialog(props: BatchActionDialogProps) {
  const former = useRef<FormerHours>([]);
  const { expected, differs, renderName, runWith } = useBatch(props, ({ formerHours = [] }) => {
    former.current = [...former.current, ...formerHours];
  });
  const [value, setValue] = useState<OpeningHours | null>(initialHours);
  const [submitted, setSubmitted] = useState(false);
  const toasts = useToasts();
  const undo = useUndo();
  const errors = checkOpening(value);
  const close = (result?: BatchResult) => {
    const changed = former.current;
    if (result !== undefined && changed.length > 0)
      toasts.success(updatedTexts.success(result.success), { label: text.undo, onClick: () => void undo(changed) });
    props.onClose(result);
  };
  return (
    <BatchDialog
      title={text.hoursTitle(expected)}
      submitLabel="Save"
      total={expected}
      renderName={renderName}
      texts={updatedTexts}
      run={runWith({ openingHours: value })}
      invalid={Object.keys(errors).length > 0}
      onInvalid={() => {
        setSubmitted(true);
        const [path = ""] = Object.keys(errors);
        document.getElementById(`${id}-${fieldOfPath(path).replaceAll(".", "-")}`)?.focus();
      }}
      onClose={close}
    >
      {differs}
      <OpeningChoice
        id={id}
        value={value}
        onChange={setValue}
        labels={{ inherit: text.inheritHours, own: openingText.own }}
        errors={errors}
        submitted={submitted}
        timeZone={null}
      >
        <Box sx={{ color: "text.secondary" }}>{text.inheritHint}</Box>
      </OpeningChoice>
    </BatchDialog>
  );
}

function useUndo() {
  const client = useQueryClient();
  const toasts = useToasts();
  const fail = useFailureToast();
  return async (former: FormerHours) => {
    try {
      const { undone, failed } = await restoreHours(former);
      if (failed > 0) toasts.error({ title: text.undoFailed(failed) });
      if (undone > 0) toasts.success(text.undone(undone));
    } catch (error) {
      fail(text.undoBroken)(error);
    }
    void client.invalidateQueries({ queryKey: ["measurement"] });
  };
}
