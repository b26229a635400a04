// Dialog to correct the current count manually, with a note.
import { serverErrors } from "@psp/contract/errors.ts";
import type { Location } from "@psp/contract/location/location.ts";
import { correctOccupancy } from "@psp/contract/occupancy/occupancy.api.ts";
import { occupancyLimits } from "@psp/contract/occupancy/occupancy-defaults.ts";
import { hasForbiddenCharacters } from "@psp/contract/kit/text-bounds.ts";
import { TextField } from "@mui/material";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { failureText } from "../../api/useFailure.ts";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { FormDialog } from "../../ui/form/FormDialog.tsx";
import { occupancyText } from "../occupancy.text.ts";
import { useRefreshLedger } from "./ledger.queries.ts";
import { ledgerText as text } from "./ledger.text.ts";

const longestNote = 200;

const isCount = (typed: string) => /^\d+$/.test(typed.trim()) && Number(typed) <= occupancyLimits.maxObjects;

function noteError(note: string): string | undefined {
  if (hasForbiddenCharacters(note)) return serverErrors.invalidInput.message;
  return note.trim().length > longestNote ? occupancyText.lengthOf(note.trim().length, longestNote) : undefined;
}

type Props = { location: Location; onClose: () => void; onDone: () => void };

export function CorrectDialog({ location: { _id: id, name }, onClose, onDone }: Props) {
  const toasts = useToasts();
  const changed = useRefreshLedger(id);
  const [count, setCount] = useState("");
  const [note, setNote] = useState("");
  const [isLeft, setLeft] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const wrongNote = noteError(note);
  const isWrong = isLeft && !isCount(count);
  const correct = async () => {
    setLeft(true);
    setFailure(null);
    if (!isCount(count) || wrongNote !== undefined) return;
    try {
      const body = { count: Number(count), ...(note.trim() === "" ? {} : { note: note.trim() }) };
      const answer = await call(correctOccupancy, { params: { id }, body });
      toasts.success(text.corrected(answer.count));
      onDone();
      onClose();
      await changed();
    } catch (error) {
      setFailure(`${text.correctFailed} ${failureText(error)}`);
    }
  };
  return (
    <FormDialog
      open
      title={text.correct}
      submitLabel={text.correctButton}
      error={failure}
      dirty={count !== "" || note !== ""}
      onSubmit={correct}
      onClose={onClose}
    >
      <div>{text.correctAbout(name)}</div>
      <TextField
        label={text.correctCount}
        value={count}
        onChange={({ target }) => setCount(target.value)}
        onBlur={() => setLeft(true)}
        error={isWrong}
        helperText={isWrong ? text.badCount : undefined}
        required
        autoComplete="off"
        slotProps={{ htmlInput: { inputMode: "numeric" } }}
      />
      <TextField
        label={text.correctNote}
        value={note}
        onChange={({ target }) => setNote(target.value)}
        error={wrongNote !== undefined}
        helperText={wrongNote}
        autoComplete="off"
      />
    </FormDialog>
  );
}
