// The default opening hours of an account: in words, and a dialog that edits them.
import type { OpeningHours } from "@psp/contract/opening/opening-hours.ts";
import { Alert, Box, Button, Skeleton } from "@mui/material";
import { useState } from "react";
import { CallError } from "../api/call.ts";
import { failureText, useAttempt } from "../api/useFailure.ts";
import { useToasts } from "../ui/feedback/Toasts.tsx";
import { FormDialog } from "../ui/form/FormDialog.tsx";
import { useDefaultHours, useSetDefaultHours } from "./opening.queries.ts";
import { checkOpening, inFormOrder, type OpeningErrors, refusedField } from "./opening.rules.ts";
import { openingText as text } from "./opening.text.ts";
import { OpeningChoice } from "./OpeningChoice.tsx";
import { OpeningSummary } from "./OpeningSummary.tsx";

type DefaultHoursProps = { account: { _id: string; name: string; version: number }; mayEdit: boolean };

export function DefaultHours({ account, mayEdit }: DefaultHoursProps) {
  const { data, error } = useDefaultHours(account._id, account.version);
  const [isOpen, setOpen] = useState(false);
  if (error !== null) return <Alert severity="error">{`${text.loadFailed}. ${failureText(error)}`}</Alert>;
  if (data === undefined) return <Skeleton variant="rounded" height={72} />;
  const { openingHours, version } = data;
  return (
    <Box sx={{ display: "grid", gap: 3, justifyItems: "start" }}>
      {openingHours === null ? <span>{text.noDefaultYet}</span> : <OpeningSummary hours={openingHours} />}
      <Box sx={{ color: "text.secondary", fontSize: "0.75rem" }}>{text.defaultHint}</Box>
      {mayEdit ? (
        <Button variant="outlined" color="inherit" onClick={() => setOpen(true)}>
          {text.edit}
        </Button>
      ) : null}
      {isOpen ? (
        <EditDialog
          account={account}
          stored={inFormOrder(openingHours)}
          version={version}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </Box>
  );
}

type EditDialogProps = {
  account: DefaultHoursProps["account"];
  stored: OpeningHours | null;
  version: number;
  onClose: () => void;
};

function EditDialog({ account, stored, version, onClose }: EditDialogProps) {
  const [first] = useState({ stored, version });
  const [value, setValue] = useState(stored);
  const [submitted, setSubmitted] = useState(false);
  const [refused, setRefused] = useState<OpeningErrors>({});
  const attempt = useAttempt();
  const toasts = useToasts();
  const save = useSetDefaultHours(account._id);
  const errors = { ...refused, ...checkOpening(value) };
  const isDirty = JSON.stringify(value) !== JSON.stringify(first.stored);
  const send = async () => {
    try {
      await save.mutateAsync({ openingHours: value, version: first.version });
    } catch (error) {
      const wrong = error instanceof CallError ? refusedField(error.details) : null;
      if (wrong !== null) return setRefused({ [wrong.path]: wrong.message });
      throw error;
    }
    toasts.success(text.saved);
    onClose();
  };
  return (
    <FormDialog
      open
      title={text.editDefault}
      subtitle={account.name}
      maxWidth={640}
      dirty={isDirty}
      onClose={onClose}
      onSubmit={async () => {
        setSubmitted(true);
        if (Object.keys(checkOpening(value)).length > 0) return;
        if (!isDirty) return onClose();
        await attempt(text.saveFailed, send);
      }}
    >
      <OpeningChoice
        id="default-hours"
        value={value}
        onChange={(hours) => {
          setRefused({});
          setValue(hours);
        }}
        labels={{ inherit: text.useNone, own: text.useDefault }}
        errors={errors}
        submitted={submitted}
        timeZone={null}
      >
        <Box sx={{ color: "text.secondary" }}>{text.noDefaultYet}</Box>
      </OpeningChoice>
    </FormDialog>
  );
}
