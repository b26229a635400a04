// Imports accounts from an SAP export, and shows the progress and the results (AC-09).
import { importLimits, type ImportResult, importUpload } from "@psp/contract/account/account.import.ts";
import DownloadOutlined from "~icons/ic/outline-download";
import { Alert, Box, Button, LinearProgress, Typography } from "@mui/material";
import { useQueryClient } from "@tanstack/react-query";
import { type Ref, useEffect, useId, useRef, useState, useSyncExternalStore } from "react";
import { useGo, useGoAfterSave } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import type { NamedRef as Reference } from "../../entity/reference/ReferenceSelect.tsx";
import { useActor } from "../../api/session/session.tsx";
import { BatchProgress } from "../../ui/batch/BatchProgress.tsx";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { FileField } from "../../ui/choice/FileField.tsx";
import { FormDialog } from "../../ui/form/FormDialog.tsx";
import { accountText } from "../account.text.ts";
import { RoleField, useCreateAccountGuard } from "../form/AccountFields.tsx";
import { forgetImport, type ImportState, importStateOf, runImport, subscribeToImport } from "./account.import.ts";
import { useBeforeUnload } from "../../ui/form/DirtyGuard.ts";
import { formatNumber } from "../../ui/text/numbers.ts";

export function ImportAccountsDialog() {
  const guard = useCreateAccountGuard();
  const go = useGoAfterSave();
  const state = useImportState();
  const start = useStart();
  const [file, setFile] = useState<File | null>(null);
  const [chosen, setChosen] = useState<Reference | null>(null);
  const [submitted, setSubmitted] = useState(false);
  const resultRef = useRef<HTMLDivElement>(null);
  const role = chosen ?? guard.only;
  const isIdle = state.step === "idle";
  useEffect(() => {
    if (state.step === "done") resultRef.current?.focus();
  }, [state.step]);

  const submit = () => {
    setSubmitted(true);
    if (file === null || fileFault(file) !== undefined || role === null) return;
    setSubmitted(false);
    void start(file, role.id);
  };
  const close = () => {
    forgetImport();
    go(paths.accounts, { replace: true });
  };
  return (
    <FormDialog
      open={guard.open || !isIdle}
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
          <FileField
            label={accountText.file}
            accept={importUpload.ending}
            file={file}
            onChange={setFile}
            faultOf={fileFault}
            submitted={submitted}
          />
          <RoleField
            value={role}
            onChange={setChosen}
            allow={guard.allow}
            availability={guard.availability}
            submitted={submitted}
            disabled={guard.availability.none || guard.availability.only !== undefined}
          />
        </>
      ) : null}
      {state.step === "running" ? <Progress state={state} /> : null}
      {state.step === "done" ? <Result ref={resultRef} fileName={state.fileName} result={state.result} /> : null}
    </FormDialog>
  );
}

function useImportState(): ImportState {
  const { id } = useActor();
  return useSyncExternalStore(subscribeToImport, () => importStateOf(id));
}

/** Starts the import. If the dialog is closed before the import ends, a toast reports the result. */
function useStart(): (file: File, role: string) => Promise<void> {
  const { id } = useActor();
  const client = useQueryClient();
  const toasts = useToasts();
  const go = useGo();
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => void (isShown.current = false);
  }, []);
  return async (file, role) => {
    const end = await runImport(id, file, role);
    void client.invalidateQueries({ queryKey: ["account"] });
    if (isShown.current) return;
    const show = { label: accountText.showResult, onClick: () => go(paths.importAccounts) };
    if (end.step === "done") toasts.success(accountText.importDone(end.result.success), show);
    if (end.step === "idle") toasts.error({ title: accountText.importFailed, text: end.failure });
  };
}

function fileFault(file: File | null): string | undefined {
  if (file === null) return accountText.fileRequired;
  if (!file.name.toLowerCase().endsWith(importUpload.ending)) return accountText.fileEnding;
  return file.size > importLimits.bytes ? accountText.fileTooLarge : undefined;
}

function Progress({ state }: { state: ImportState & { step: "running" } }) {
  useBeforeUnload(true);
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

const stepSize = 200;

type ResultProps = { ref: Ref<HTMLDivElement>; fileName: string; result: ImportResult };

function Result({ ref, fileName, result }: ResultProps) {
  return (
    <Box ref={ref} tabIndex={-1} sx={{ outline: "none" }}>
      <Alert severity={result.error > 0 ? "warning" : "success"} role="status">
        {accountText.importDone(result.success)}
      </Alert>
      <Box component="dl" sx={{ display: "grid", gridTemplateColumns: "repeat(4, 1fr)", gap: 2, mt: 4, mb: 0 }}>
        {accountText.importCounts.map(([count, label]) => (
          <Box key={count} sx={{ minWidth: 0 }}>
            <Box component="dt" sx={{ color: "text.secondary", fontSize: "0.8125rem" }}>
              {label}
            </Box>
            <Box component="dd" sx={{ m: 0, fontSize: "1.25rem", fontVariantNumeric: "tabular-nums" }}>
              {formatNumber(result[count])}
            </Box>
          </Box>
        ))}
      </Box>
      <Logs fileName={fileName} logs={result.logs} />
    </Box>
  );
}

function Logs({ fileName, logs }: { fileName: string; logs: readonly string[] }) {
  const titleId = useId();
  const [shown, setShown] = useState(stepSize);
  const left = logs.length - shown;
  return (
    <Box sx={{ mt: 4 }}>
      <Box sx={{ display: "flex", alignItems: "center", justifyContent: "space-between", minHeight: 36 }}>
        <Typography id={titleId} variant="h3" component="h3">
          {accountText.logs}
        </Typography>
        {logs.length === 0 ? null : (
          <Button size="small" startIcon={<DownloadOutlined />} onClick={() => saveText(logNameOf(fileName), logs)}>
            {accountText.downloadLog}
          </Button>
        )}
      </Box>
      {logs.length === 0 ? (
        <Box sx={{ color: "text.secondary" }}>{accountText.noLogs}</Box>
      ) : (
        <Box
          component="ul"
          aria-labelledby={titleId}
          tabIndex={0}
          sx={{
            listStyle: "none",
            m: 0,
            px: 3,
            py: 2,
            border: 1,
            borderColor: "divider",
            borderRadius: 1,
            maxHeight: 260,
            overflowY: "auto",
            fontSize: "0.8125rem",
            overflowWrap: "anywhere",
          }}
        >
          {logs.slice(0, shown).map((line) => (
            <li key={line}>{line}</li>
          ))}
        </Box>
      )}
      {left <= 0 ? null : (
        <Button size="small" color="inherit" onClick={() => setShown(shown + stepSize)} sx={{ mt: 1 }}>
          {accountText.showMore(left)}
        </Button>
      )}
    </Box>
  );
}

const logNameOf = (fileName: string) => `${fileName.replace(/\.csv$/i, "")}-log.txt`;

function saveText(name: string, lines: readonly string[]): void {
  const address = URL.createObjectURL(new Blob([`${lines.join("\r\n")}\r\n`], { type: "text/plain;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
