// Batch dialog that adds, removes or replaces tags of locations, with examples and undo (docs/rules/locations.md#undo-of-location-batches).
import type { TagsChange } from "@psp/contract/location/location.batch.api.ts";
import { applyTagsChange, previewTagKey } from "@psp/contract/location/tags.ts";
import { Alert } from "@mui/material";
import { useState } from "react";
import type { BatchActionDialogProps } from "../../entity/batch/list-batch.tsx";
import { BatchDialog } from "../../ui/batch/BatchDialog.tsx";
import { BatchExamples } from "../../ui/batch/BatchExamples.tsx";
import { BatchWays } from "../../ui/batch/BatchWays.tsx";
import { addPendingChips } from "../../ui/choice/ChipsField.tsx";
import { checkTags } from "../form/location.rules.ts";
import { locationText } from "../location.text.ts";
import { TagsField } from "../TagsField.tsx";
import { locationBatchText as text, updatedTexts } from "./location.batch.text.ts";
import { useExamples } from "./useExamples.ts";
import { useBatchWithUndo } from "./useBatchUndo.ts";

type Way = keyof typeof text.tagsWays;

const inWords = (tags: readonly string[]) => tags.join(", ") || text.noTags;

export function EditTagsDialog(props: BatchActionDialogProps) {
  const { expected, differs, renderName, runWith, close } = useBatchWithUndo(props);
  const examples = useExamples(props.chosen);
  const [way, setWay] = useState<Way | null>(null);
  const [chips, setChips] = useState<string[]>([]);
  const [pending, setPending] = useState("");
  const [tried, setTried] = useState(false);
  // Includes a tag that is still being typed.
  const tags = addPendingChips(chips, pending);
  const fault = checkTags(tags);
  const isMissing = way !== "replace" && tags.length === 0;
  const isComplete = way !== null && fault === undefined && !isMissing;
  const change: TagsChange = way === null ? {} : { [way]: tags };
  return (
    <BatchDialog
      title={text.tagsTitle(expected)}
      submitLabel="Save"
      total={expected}
      renderName={renderName}
      texts={updatedTexts}
      run={runWith({ tags: change })}
      invalid={!isComplete}
      onInvalid={() => setTried(true)}
      onClose={close}
    >
      {differs}
      <BatchWays row ways={text.tagsWays} value={way} onChange={setWay} error={tried && way === null} />
      {way === "replace" ? <Alert severity="warning">{text.tagsOverwritten}</Alert> : null}
      {way === null ? null : (
        <TagsField
          label={locationText.tags}
          value={chips}
          onChange={setChips}
          onPending={setPending}
          error={fault ?? (tried && isMissing ? text.chooseTags : undefined)}
          helperText={text.tagsHints[way]}
        />
      )}
      <BatchExamples
        head={[locationText.name, text.tagsNow]}
        count={expected}
        rows={(examples ?? []).map((location) => ({
          id: location._id,
          name: location.name,
          now: inWords(location.tags),
          afterwards: isComplete ? inWords(applyTagsChange(location.tags, change, previewTagKey)) : "…",
        }))}
      />
    </BatchDialog>
  );
}
