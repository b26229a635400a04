// Dialog to upload firmware with progress and cancellation (FW-02).
import { createFirmware } from "@psp/contract/firmware/firmware.api.ts";
import { type SensorType, sensorTypes } from "@psp/contract/device/sensor-type.ts";
import { Autocomplete, Box, Button, LinearProgress, TextField } from "@mui/material";
import { useEffect, useRef, useState } from "react";
import { type UploadProgress, upload } from "../api/upload.ts";
import { hasErrors, type OwnedFieldsProps } from "../entity/name-and-owner.tsx";
import { useAttempt } from "../api/useFailure.ts";
import { config } from "../api/config.ts";
import { useDraftKey, useNewObjectFields } from "../entity/draft.ts";
import { useGoAfterSave } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { useRequireCreate } from "../entity/owner-choice.ts";
import { useTypedSuggestion } from "../ui/choice/useTypedSuggestion.ts";
import { FormDialog } from "../ui/form/FormDialog.tsx";
import { useToasts } from "../ui/feedback/Toasts.tsx";
import { visuallyHidden } from "../ui/visuallyHidden.ts";
import { FileField } from "./FileField.tsx";
import { type FirmwareBasics, FirmwareFields, firmwareErrors } from "./FirmwareFields.tsx";
import { firmware } from "./firmware.entity.ts";
import { firmwareText, formatFileSize } from "./firmware.text.ts";

function checkFile(file: File | null): string | undefined {
  if (file === null) return firmwareText.fileRequired;
  if (file.size === 0) return firmwareText.fileEmpty;
  const { firmwareMaxBytes: max } = config;
  return file.size > max ? firmwareText.fileTooLarge(max / 1024 ** 2) : undefined;
}

type NewFirmware = { file: File; name: string; type: SensorType; owner: string; visible: boolean };

/** Aborts when the dialog closes. */
function useUpload() {
  const refresh = firmware.useRefresh();
  const [sending, setSending] = useState<UploadProgress | null>(null);
  const abort = useRef<AbortController | null>(null);
  useEffect(() => () => abort.current?.abort(), []);
  return {
    sending,
    stop: () => abort.current?.abort(),
    async send({ file, name, type, owner, visible }: NewFirmware): Promise<boolean> {
      const form = new FormData();
      // Fields before the file, so that errors are reported before the file is transferred.
      const fields = { name, owner, type, objPerm: JSON.stringify({ childrenCanViewObject: visible }) };
      for (const [field, value] of Object.entries(fields)) form.append(field, value);
      form.append("file", file);
      const { signal } = (abort.current = new AbortController());
      setSending({ sent: 0, total: file.size });
      try {
        await upload(createFirmware, form, { onProgress: setSending, signal });
        await refresh();
        return true;
      } catch (error) {
        if (signal.aborted) return false;
        throw error;
      } finally {
        abort.current = null;
        setSending(null);
      }
    },
  };
}

/** Shows percent and bytes. Screen readers announce every ten percent. */
function UploadProgress({ sent, total }: UploadProgress) {
  const percent = total === 0 ? 0 : Math.floor((sent / total) * 100);
  const isSent = total > 0 && sent >= total;
  return (
    <Box>
      <LinearProgress
        aria-label={firmwareText.uploading}
        variant={isSent ? "indeterminate" : "determinate"}
        {...(isSent ? {} : { value: percent })}
      />
      <Box sx={{ mt: 2, color: "text.secondary", fontVariantNumeric: "tabular-nums" }}>
        {isSent ? firmwareText.storing : firmwareText.uploaded(percent, formatFileSize(sent), formatFileSize(total))}
      </Box>
      <span role="status" style={visuallyHidden}>{`${Math.floor(percent / 10) * 10} percent sent`}</span>
    </Box>
  );
}

const refusals = { none: { title: firmwareText.noAccount }, notAllowed: { title: firmwareText.createForEmpty } };
type Fields = FirmwareBasics & { type: SensorType | null };
const empty: Fields = { name: "", owner: null, visible: false, type: null };

export function NewFirmwareDialog() {
  const go = useGoAfterSave();
  const toasts = useToasts();
  const attempt = useAttempt();
  const uploading = useUpload();
  const { mayCreate, owners, own } = useRequireCreate("artifact", paths.firmware, refusals);
  const [file, setFile] = useState<File | null>(null);
  // The draft stores everything but the file, which can't be restored.
  const key = useDraftKey("artifact", "new");
  const { values, set, isTyped, restored, discard } = useNewObjectFields({ ...empty, owner: own }, key);
  const { type } = values;
  const typeSuggestion = useTypedSuggestion();
  const [submitted, setSubmitted] = useState(false);
  const [typeLeft, setTypeLeft] = useState(false);
  const typeError = (submitted || typeLeft) && type === null ? firmwareText.typeRequired : undefined;
  // A selected file is validated at once, a missing one on submit.
  const fileError = file !== null || submitted ? checkFile(file) : undefined;
  const submit = async () => {
    setSubmitted(true);
    const { owner, name, visible } = values;
    if (hasErrors(firmwareErrors(values)) || checkFile(file) !== undefined) return;
    if (file === null || type === null || owner === null) return;
    await attempt(firmwareText.createFailed, async () => {
      const isSent = await uploading.send({ file, name: name.trim(), type, owner: owner.id, visible });
      if (!isSent) return toasts.success(firmwareText.canceled);
      discard();
      toasts.success(firmwareText.created(`${type} ${name.trim()}`));
      go(paths.firmware, { replace: true });
    });
  };
  const busy = uploading.sending !== null;
  return (
    <FormDialog
      open={mayCreate}
      title={firmwareText.newTitle}
      submitLabel="Create"
      dirty={isTyped || file !== null}
      restored={restored}
      onDiscard={discard}
      keeps={isTyped}
      unkept={file === null ? undefined : firmwareText.fileNotKept}
      onSubmit={submit}
      onClose={() => go(paths.firmware, { replace: true })}
      extraActions={
        busy ? (
          <Button color="inherit" variant="outlined" onClick={uploading.stop}>
            {firmwareText.cancelUpload}
          </Button>
        ) : undefined
      }
    >
      <FileField value={file} onChange={setFile} error={fileError} disabled={busy} />
      {uploading.sending === null ? null : <UploadProgress {...uploading.sending} />}
      <Autocomplete
        options={[...sensorTypes]}
        value={type}
        onChange={(_event, chosen) => set("type", sensorTypes.find((one) => one === chosen) ?? null)}
        onBlur={() => setTypeLeft(true)}
        readOnly={busy}
        {...typeSuggestion}
        renderInput={(params) => (
          <TextField
            {...params}
            label={firmwareText.type}
            required
            error={typeError !== undefined}
            helperText={typeError}
          />
        )}
      />
      <FirmwareFields
        values={values}
        set={set as OwnedFieldsProps<unknown, FirmwareBasics>["set"]}
        errors={firmwareErrors(values)}
        submitted={submitted}
        readOnly={busy}
        owners={owners}
      />
    </FormDialog>
  );
}
