// Imports sales of many locations from a CSV file: checks the file first, and stores it after confirmation.
import { type SalesImportResult, salesImportLimits, salesUpload } from "@psp/contract/sales/sales.import.ts";
import { Alert, Box, Button, Checkbox, FormControlLabel } from "@mui/material";
import { useEffect, useRef, useState } from "react";
import { useGoAfterSave } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { failureText } from "../api/useFailure.ts";
import { FileField } from "../ui/choice/FileField.tsx";
import { FormDialog } from "../ui/form/FormDialog.tsx";
import { ImportReport } from "./ImportReport.tsx";
import { useImportSales } from "./sales.queries.ts";
import { salesImportText as text } from "./sales.text.ts";

/** The dialog over the list of locations. */
export function ImportSalesPage() {
  const go = useGoAfterSave();
  return <ImportSalesDialog onClose={() => go(paths.locations, { replace: true })} />;
}

export function ImportSalesDialog({ onClose }: { onClose: () => void }) {
  const [file, setFile] = useState<File | null>(null);
  const [submitted, setSubmitted] = useState(false);
  const [skipInvalid, setSkipInvalid] = useState(false);
  const [result, setResult] = useState<SalesImportResult | null>(null);
  const [failure, setFailure] = useState<string>();
  const send = useImportSales();
  const leaving = useRef(new AbortController());
  useEffect(() => {
    const controller = new AbortController();
    leaving.current = controller;
    return () => controller.abort();
  }, []);
  const isDone = result !== null && !result.dryRun;
  const fresh = result === null ? 0 : result.stored + result.replaced;

  const submit = async () => {
    setSubmitted(true);
    setFailure(undefined);
    if (file === null || fileFault(file) !== undefined) return;
    try {
      setResult(await send(file, { dryRun: result === null, skipInvalid, signal: leaving.current.signal }));
    } catch (error) {
      if (!leaving.current.signal.aborted) setFailure(failureText(error));
    }
  };
  const restart = () => {
    setFile(null);
    setResult(null);
    setSubmitted(false);
    setSkipInvalid(false);
    setFailure(undefined);
  };
  return (
    <FormDialog
      open
      title={text.title}
      maxWidth={result === null ? 560 : 860}
      submitLabel={result === null ? text.check : text.store(fresh)}
      submitDisabledReason={result === null || isDone ? undefined : reasonAgainst(result, fresh, skipInvalid)}
      readOnly={isDone}
      error={failure}
      onSubmit={submit}
      onClose={onClose}
      extraActions={
        result === null ? undefined : (
          <Button color="inherit" onClick={restart}>
            {text.other}
          </Button>
        )
      }
    >
      {result === null ? (
        <>
          <Box sx={{ color: "text.secondary" }}>{text.hint}</Box>
          <FileField
            label={text.file}
            accept={salesUpload.ending}
            file={file}
            onChange={setFile}
            faultOf={fileFault}
            submitted={submitted}
          />
          <Box sx={{ color: "text.secondary" }}>{text.safe}</Box>
        </>
      ) : (
        <>
          <Alert severity={result.invalid > 0 ? "warning" : isDone ? "success" : "info"} role="status">
            {isDone ? text.done(result) : text.checked(result)}
          </Alert>
          <ImportReport result={result} />
          {isDone || result.invalid === 0 ? null : (
            <FormControlLabel
              control={<Checkbox checked={skipInvalid} onChange={(_, on) => setSkipInvalid(on)} />}
              label={text.skip(result.invalid)}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}

function reasonAgainst({ invalid }: SalesImportResult, fresh: number, skipInvalid: boolean): string | undefined {
  if (fresh === 0) return text.nothing;
  return invalid > 0 && !skipInvalid ? text.fixFirst : undefined;
}

function fileFault(file: File | null): string | undefined {
  if (file === null) return text.fileRequired;
  if (!file.name.toLowerCase().endsWith(salesUpload.ending)) return text.fileEnding;
  return file.size > salesImportLimits.bytes ? text.fileTooLarge : undefined;
}
