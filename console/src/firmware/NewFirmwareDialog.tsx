// Uploading a firmware: file, version, sensor type, owner, visibility; with progress, and a way to stop it (spec 3 §2, §5, §7).
import { type SensorType, sensorTypes } from "@psp/contract/sensor/sensor-type.ts";
import Autocomplete from "@mui/material/Autocomplete";
import Button from "@mui/material/Button";
import TextField from "@mui/material/TextField";
import { useEffect, useRef, useState } from "react";
import type { Sending } from "../api/upload.ts";
import { isAnyWrong } from "../entity/name-and-owner.tsx";
import { useFailure } from "../api/useFailure.ts";
import { config } from "../config.ts";
import { useFields } from "../entity/draft.ts";
import { useGoFromHere } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { useCreation } from "../entity/owner-choice.ts";
import { FormDialog } from "../ui/form/FormDialog.tsx";
import { useToasts } from "../ui/feedback/Toasts.tsx";
import { FileField } from "./FileField.tsx";
import { type FirmwareBasics, FirmwareFields, firmwareErrors } from "./FirmwareFields.tsx";
import { UploadProgress } from "./UploadProgress.tsx";
import { useCreateFirmware } from "./firmware.files.ts";
import { firmwareText } from "./firmware.text.ts";

const mebibyte = 1024 * 1024;

function checkFile(file: File | null): string | undefined {
  if (file === null) return firmwareText.fileRequired;
  if (file.size === 0) return firmwareText.fileEmpty;
  return file.size > config.firmwareMaxBytes
    ? firmwareText.fileTooLarge(config.firmwareMaxBytes / mebibyte)
    : undefined;
}

/** Stops what is under way when the dialog goes away. */
function useUpload() {
  const create = useCreateFirmware();
  const [sending, setSending] = useState<Sending | null>(null);
  const abort = useRef<AbortController | null>(null);
  useEffect(() => () => abort.current?.abort(), []);
  return {
    sending,
    stop: () => abort.current?.abort(),
    /** The firmware, or null when it was stopped. */
    async send(fields: Parameters<typeof create.mutateAsync>[0]["fields"]) {
      const controller = new AbortController();
      abort.current = controller;
      setSending({ sent: 0, total: fields.file.size });
      try {
        return await create.mutateAsync({ fields, onProgress: setSending, signal: controller.signal });
      } catch (error) {
        if (controller.signal.aborted) return null;
        throw error;
      } finally {
        abort.current = null;
        setSending(null);
      }
    },
  };
}

const refusals = { none: { title: firmwareText.noAccount }, notAllowed: { title: firmwareText.createForEmpty } };
const empty: FirmwareBasics = { name: "", owner: null, visible: false };

export function NewFirmwareDialog() {
  const go = useGoFromHere();
  const toasts = useToasts();
  const fail = useFailure();
  const uploading = useUpload();
  const { mayCreate, owners } = useCreation("artifact", paths.firmware, refusals);
  const [file, setFile] = useState<File | null>(null);
  const [type, setType] = useState<SensorType | null>(null);
  const { values, set } = useFields(empty);
  const [submitted, setSubmitted] = useState(false);
  const [typeLeft, setTypeLeft] = useState(false);
  const typeError = (submitted || typeLeft) && type === null ? firmwareText.typeRequired : undefined;
  // A file that was chosen is judged at once; that one is missing is told on submit.
  const fileError = file !== null || submitted ? checkFile(file) : undefined;
  const submit = async () => {
    setSubmitted(true);
    const { owner, name, visible } = values;
    if (isAnyWrong(firmwareErrors(values)) || checkFile(file) !== undefined) return;
    if (file === null || type === null || owner === null) return;
    try {
      const made = await uploading.send({ file, name: name.trim(), type, owner: owner.id, visible });
      if (made === null) return toasts.success(firmwareText.canceled);
      toasts.success(firmwareText.created(`${type} ${name.trim()}`));
      go(paths.firmware, { replace: true });
    } catch (error) {
      fail(firmwareText.createFailed)(error);
    }
  };
  const busy = uploading.sending !== null;
  return (
    <FormDialog
      open={mayCreate}
      title={firmwareText.newTitle}
      submitLabel="Create"
      dirty={values.name !== "" || file !== null}
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
        options={sensorTypes}
        value={type}
        onChange={(_event, chosen) => setType(chosen)}
        onBlur={() => setTypeLeft(true)}
        readOnly={busy}
        autoHighlight
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
        set={set}
        errors={firmwareErrors(values)}
        submitted={submitted}
        readOnly={busy}
        owners={owners}
      />
    </FormDialog>
  );
}
