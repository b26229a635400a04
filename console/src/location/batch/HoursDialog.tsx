// Sets the opening hours of the selected locations, with undo (docs/rules/batches.md#undo).
import type { OpeningHours } from "@psp/contract/opening/opening-hours.ts";
import { Box } from "@mui/material";
import { useRef, useState } from "react";
import type { BatchActionDialogProps } from "../../entity/batch/list-batch.tsx";
import { checkOpening, fieldOfPath, initialHours } from "../../opening/opening.rules.ts";
import { openingText } from "../../opening/opening.text.ts";
import { OpeningChoice } from "../../opening/OpeningChoice.tsx";
import { BatchDialog } from "../../ui/batch/BatchDialog.tsx";
import type { BatchResult } from "../../ui/batch/batchRun.ts";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { locationBatchText as text, updatedTexts } from "./location.batch.text.ts";
import { useBatchRun } from "./useBatchRun.ts";
import { useBatchUndo } from "./useBatchUndo.ts";

const id = "batch-hours";

export function HoursDialog(props: BatchActionDialogProps) {
  const undoIds = useRef<string[]>([]);
  const { expected, differs, renderName, runWith } = useBatchRun(props, (id) => void undoIds.current.push(id));
  const [value, setValue] = useState<OpeningHours | null>(initialHours);
  const [submitted, setSubmitted] = useState(false);
  const toasts = useToasts();
  const undo = useBatchUndo();
  const errors = checkOpening(value);
  const close = (result?: BatchResult) => {
    const ids = undoIds.current;
    if (result !== undefined && result.success > 0 && ids.length > 0)
      toasts.success(updatedTexts.success(result.success), { label: text.undo, onClick: () => void undo(ids) });
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
