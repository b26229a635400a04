// Sets the opening hours of the selected locations, with undo (docs/rules/batches.md#undo).
import type { OpeningHours } from "@psp/contract/opening/opening-hours.ts";
import { Box } from "@mui/material";
import { useState } from "react";
import type { BatchActionDialogProps } from "../../entity/batch/list-batch.tsx";
import { checkOpening, fieldOfPath, initialHours } from "../../opening/opening.rules.ts";
import { openingText } from "../../opening/opening.text.ts";
import { OpeningChoice } from "../../opening/OpeningChoice.tsx";
import { BatchDialog } from "../../ui/batch/BatchDialog.tsx";
import { locationBatchText as text, updatedTexts } from "./location.batch.text.ts";
import { useBatchWithUndo } from "./useBatchUndo.ts";

const id = "batch-hours";

export function HoursDialog(props: BatchActionDialogProps) {
  const { expected, differs, renderName, runWith, close } = useBatchWithUndo(props);
  const [value, setValue] = useState<OpeningHours | null>(initialHours);
  const [submitted, setSubmitted] = useState(false);
  const errors = checkOpening(value);
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
