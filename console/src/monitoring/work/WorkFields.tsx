// Fields of the dialogs that assign, annotate and snooze issues.
import { maxNoteLength, maxNotesAtOnce } from "@psp/contract/monitoring/issue-words.ts";
import type { Assignee } from "@psp/contract/monitoring/issue.ts";
import { FormControlLabel, FormHelperText, Radio, RadioGroup, TextField } from "@mui/material";
import { type ReactNode, useState } from "react";
import { DateField } from "../../ui/time/DateField.tsx";
import { useNow } from "../../ui/time/RelativeTime.tsx";
import { AssigneeSelect } from "./AssigneeSelect.tsx";
import { type SnoozeChoice, toSnoozeEnd } from "./snooze-times.ts";
import type { WorkChanges, WorkKind } from "./work.queries.ts";
import { workText as text } from "./work.text.ts";

type Work = {
  fields: ReactNode;
  /** Null while a field is invalid. */
  changes: WorkChanges | null;
  isDirty: boolean;
  /** Shows the errors of the fields. */
  onTried: () => void;
};

type Given = {
  kind: WorkKind;
  /** Empty for a selection by filters. */
  ids: readonly string[];
  count: number;
  assignee: Assignee | null;
  isSnoozed: boolean;
};

export function useWorkFields({ kind, ids, count, assignee: before, isSnoozed }: Given): Work {
  const [assignee, setAssignee] = useState(before);
  const [note, setNote] = useState("");
  const [snooze, setSnooze] = useState<SnoozeChoice | null>(null);
  const [date, setDate] = useState("");
  const [tried, setTried] = useState(false);
  const now = useNow();
  const words = note.trim();
  const isOverLimit = count > maxNotesAtOnce;
  const noteFault =
    words.length > maxNoteLength
      ? text.noteTooLong(maxNoteLength)
      : kind === "note" && isOverLimit
        ? text.noteLimit(maxNotesAtOnce)
        : kind === "note" && words === ""
          ? text.noteMissing
          : undefined;
  const end = snooze === null ? undefined : toSnoozeEnd(snooze, date, new Date(now));
  const noteField = (
    <TextField
      label={kind === "note" ? text.noteLabel : text.noteOptional}
      value={note}
      onChange={({ target }) => setNote(target.value.replaceAll(/\s*\n\s*/g, " "))}
      multiline
      minRows={2}
      maxRows={8}
      disabled={isOverLimit}
      error={tried && noteFault !== undefined}
      helperText={isOverLimit ? text.noteLimit(maxNotesAtOnce) : tried ? noteFault : undefined}
    />
  );
  const common = { isDirty: words !== "" || assignee?._id !== before?._id, onTried: () => setTried(true) };
  const withNote = words === "" ? {} : { note: words };
  if (kind === "note") return { ...common, fields: noteField, changes: noteFault ? null : { note: words } };
  if (kind === "assign")
    return {
      ...common,
      fields: (
        <>
          <AssigneeSelect ids={ids} value={assignee} onChange={setAssignee} />
          {noteField}
        </>
      ),
      changes: noteFault ? null : { assigneeID: assignee?._id ?? null, ...withNote },
    };
  return {
    ...common,
    fields: (
      <>
        <SnoozeField
          choice={snooze}
          onChoose={setSnooze}
          date={date}
          onDate={setDate}
          canEnd={isSnoozed}
          error={tried && end === undefined ? (snooze === "date" ? text.dateWrong : text.choose) : undefined}
        />
        {noteField}
      </>
    ),
    changes: noteFault || end === undefined ? null : { snoozedUntil: end, ...withNote },
  };
}

type SnoozeFieldProps = {
  choice: SnoozeChoice | null;
  onChoose: (choice: SnoozeChoice) => void;
  date: string;
  onDate: (date: string) => void;
  canEnd: boolean;
  error: string | undefined;
};

function SnoozeField({ choice, onChoose, date, onDate, canEnd, error }: SnoozeFieldProps) {
  const choices: (readonly [SnoozeChoice, string])[] = [
    ["tomorrow", text.tomorrow],
    ["week", text.week],
    ["date", text.date],
    ...(canEnd ? [["end", text.end] as const] : []),
  ];
  return (
    <div>
      <RadioGroup aria-label={text.until} value={choice ?? ""} onChange={(_, value) => onChoose(value as SnoozeChoice)}>
        {choices.map(([value, label]) => (
          <FormControlLabel key={value} value={value} control={<Radio />} label={label} />
        ))}
      </RadioGroup>
      {choice === "date" ? (
        <DateField
          label={text.dateLabel}
          value={date}
          onChoose={(chosen) => {
            onDate(chosen);
            return true;
          }}
          error={error !== undefined}
          slotProps={{ inputLabel: { shrink: true } }}
          sx={{ mt: 3 }}
        />
      ) : null}
      <FormHelperText error={error !== undefined}>{error ?? text.snoozeHint}</FormHelperText>
    </div>
  );
}
