// Importing accounts from an SAP export: the file and the role, progress, then counts and log (spec 1 §2, §5).
import { importLimits, importUpload } from "@psp/contract/account/account.import.ts";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import LinearProgress from "@mui/material/LinearProgress";
import TextField from "@mui/material/TextField";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { useGo, useGoFromHere } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { useActor } from "../../session/session.tsx";
import { BatchProgress } from "../../ui/batch/BatchProgress.tsx";
import { FormDialog } from "../../ui/form/FormDialog.tsx";
import { type Toasts, useToasts } from "../../ui/feedback/Toasts.tsx";
import type { Ref } from "../../entity/reference/ReferenceSelect.tsx";
import { RoleField, useCreationGate } from "../form/AccountFields.tsx";
import { ImportResult } from "./ImportResult.tsx";
import { forgetImport, importStateOf, type ImportState, runImport, subscribeImport } from "./account.import.ts";
import { accountText } from "../account.text.ts";

export function ImportAccountsDialog() {
  const gate = useCreationGate();
  const go = useGoFromHere();
  const state = useImportState();
  const start = useStart();
  const [file, setFile] = useState<File | null>(null);
  const [chosen, setChosen] = useState<Ref | null>(null);
  const [submitted, setSubmitted] = useState(false);
  const resultRef = useRef<HTMLDivElement>(null);
  const role = chosen ?? gate.only;
  const isIdle = state.step === "idle";
  useEffect(() => {
    if (state.step === "done") resultRef.current?.focus();
  }, [state.step]);

  const submit = () => {
    setSubmitted(true);
    if (file === null || fileFault(file) !== undefined || role === null) return;
    setSubmitted(false);
    start(file, role.id);
  };
  const close = () => {
    forgetImport();
    go(paths.accounts, { replace: true });
  };
  return (
    <FormDialog
      open={gate.open || !isIdle}
      title={accountText.importTitle}
      maxWidth={600}
      submitLabel={accountText.importAction}
      cancelLabel={isIdle ? "Cancel" : "Close"}
      readOnly={!isIdle}
      dirty={isIdle && (file !== null || chosen !== null)}
      error={isIdle ? state.failure : undefined}
      onSubmit={submit}
      onClose={close}
      extraActions={
        state.step === "done" ? (
          <Button color="inherit" onClick={() => (setFile(null), forgetImport())}>
            {accountText.importAnother}
          </Button>
        ) : undefined
      }
    >
      {isIdle ? (
        <>
          <Box sx={{ color: "text.secondary" }}>{accountText.importHint}</Box>
          <FileField file={file} onChange={setFile} submitted={submitted} />
          <RoleField
            value={role}
            onChange={setChosen}
            allow={gate.allow}
            assignable={gate.assignable}
            submitted={submitted}
            disabled={gate.assignable.none || gate.assignable.only !== undefined}
          />
        </>
      ) : null}
      {state.step === "running" ? <Progress state={state} /> : null}
      {state.step === "done" ? <ImportResult ref={resultRef} fileName={state.fileName} result={state.result} /> : null}
    </FormDialog>
  );
}

function useImportState(): ImportState {
  const { id } = useActor();
  return useSyncExternalStore(subscribeImport, () => importStateOf(id));
}

/** Starts the import; when it ends behind a closed dialog a toast tells how. */
function useStart(): (file: File, role: string) => void {
  const { id } = useActor();
  const client = useQueryClient();
  const toasts = useToasts();
  const go = useGo();
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => void (isShown.current = false);
  }, []);
  return (file, role) => {
    void runImport(id, file, role).then((end) => {
      void client.invalidateQueries({ queryKey: ["account"] });
      if (!isShown.current) tell(toasts, end, () => go(paths.importAccounts));
    });
  };
}

function tell(toasts: Toasts, end: ImportState, show: () => void): void {
  if (end.step === "done")
    toasts.success(accountText.importDone(end.result.success), { label: accountText.showResult, onClick: show });
  if (end.step === "idle") toasts.error({ title: accountText.importFailed, text: end.failure });
}

/** What is wrong with the chosen file, or undefined. */
function fileFault(file: File | null): string | undefined {
  if (file === null) return accountText.fileRequired;
  if (!file.name.toLowerCase().endsWith(importUpload.ending)) return accountText.fileEnding;
  return file.size > importLimits.bytes ? accountText.fileTooLarge : undefined;
}

type FileFieldProps = { file: File | null; onChange: (file: File | null) => void; submitted: boolean };

function FileField({ file, onChange, submitted }: FileFieldProps) {
  const [left, setLeft] = useState(false);
  const fault = submitted || left || file !== null ? fileFault(file) : undefined;
  return (
    <TextField
      type="file"
      label={accountText.file}
      required
      error={fault !== undefined}
      helperText={fault}
      onBlur={() => setLeft(true)}
      onChange={(event) => onChange((event.target as HTMLInputElement).files?.[0] ?? null)}
      slotProps={{ inputLabel: { shrink: true }, htmlInput: { accept: importUpload.ending } }}
      sx={{
        "& input::file-selector-button": {
          font: "inherit",
          fontWeight: 600,
          mr: 3,
          px: 2,
          py: 0,
          border: 0,
          borderRadius: 1,
          bgcolor: "action.selected",
          color: "text.primary",
          cursor: "pointer",
        },
      }}
    />
  );
}

function Progress({ state }: { state: ImportState & { step: "running" } }) {
  useEffect(() => {
    const onBeforeUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", onBeforeUnload);
    return () => window.removeEventListener("beforeunload", onBeforeUnload);
  }, []);
  const { progress, fileName, startedAt } = state;
  return (
    <Box>
      {progress === null ? (
        <Box sx={{ py: 2 }}>
          <LinearProgress aria-label="Progress" />
          <Box role="status" sx={{ mt: 2, minHeight: 20, color: "text.secondary", overflowWrap: "anywhere" }}>
            {accountText.uploading(fileName)}
          </Box>
        </Box>
      ) : (
        <BatchProgress done={progress.done} total={progress.total} startedAt={startedAt} />
      )}
      <Box sx={{ color: "text.secondary" }}>{accountText.importLeave}</Box>
    </Box>
  );
}
