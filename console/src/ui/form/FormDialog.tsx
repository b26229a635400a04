// Frame of every form in a dialog. Submits only once at a time, and asks before discarding input.
import {
  Alert,
  Box,
  Button,
  CircularProgress,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  Stack,
  Typography,
} from "@mui/material";
import { type FormEvent, type ReactNode, useEffect, useId, useRef } from "react";
import { useIsPhone } from "../theme/theme.ts";
import { DiscardDialog, toDiscardDialogProps, useBusyAction } from "./ConfirmDialog.tsx";
import { Disabled } from "../feedback/Disabled.tsx";
import { useDirtyGuard } from "./DirtyGuard.ts";
import { LoadingBar } from "../feedback/LoadingBar.tsx";
import { useInvalidFields } from "./ErrorSummary.tsx";
import "./steadyPress.ts";
import { RestoredNotice } from "./RestoredNotice.tsx";

type FormDialogProps = {
  /** False while required data is loading. */
  open: boolean;
  title: string;
  subtitle?: string;
  /** Max width in px; default 500. */
  maxWidth?: number | undefined;
  submitLabel?: string;
  /** Default "Cancel", in read-only mode "Close". */
  cancelLabel?: string | undefined;
  /** The dialog stays busy until the promise settles; show failures through `error`. */
  onSubmit?: () => void | Promise<unknown>;
  onClose: () => void;
  busy?: boolean;
  error?: ReactNode;
  /** Hides the submit button and ignores submits. */
  readOnly?: boolean;
  /** Whether there is unsaved input. If so, the dialog asks before it closes. */
  dirty?: boolean;
  /** Deletes the draft, in forms that keep one across reloads. Without this callback, closing loses the input. */
  onDiscard?: () => void;
  /** Whether the draft contains anything; default true. */
  keeps?: boolean;
  /** States which input is not kept: "Passwords are not kept." */
  unkept?: string | undefined;
  /** Whether the input is from before the page was loaded; requires `onDiscard`. */
  restored?: boolean;
  /** Why submitting is impossible; the button stays focusable and shows it. */
  submitDisabledReason?: string | undefined;
  /** Buttons left of Cancel. */
  extraActions?: ReactNode;
  children: ReactNode;
};

const firstField =
  'input:not([type="hidden"]):not(:disabled):not([readonly]), textarea:not(:disabled), [role="combobox"]:not([aria-disabled="true"])';

export function FormDialog(props: FormDialogProps) {
  const { open, title, subtitle, maxWidth = 500, submitLabel = "Save", readOnly = false, dirty = false, error } = props;
  const titleId = useId();
  const phone = useIsPhone();
  const { busy: submitting, run } = useBusyAction();
  const errorRef = useRef<HTMLDivElement>(null);
  const formRef = useRef<HTMLFormElement>(null);
  const { attempted, summary } = useInvalidFields(formRef);
  const leaving = useDirtyGuard(open && dirty && !readOnly);
  const busy = submitting || props.busy === true;
  const hasError = error !== undefined && error !== null && error !== "";

  useEffect(() => {
    if (hasError && !busy) errorRef.current?.focus();
  }, [hasError, busy]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    if (props.busy === true || readOnly || props.submitDisabledReason !== undefined) return;
    void run(async () => {
      await props.onSubmit?.();
      attempted();
    });
  };
  const close = () => {
    if (!busy) leaving.guard(props.onClose);
  };
  const focusFirst = () => {
    const form = formRef.current;
    if (form === null || form.querySelector("[data-fields]")?.contains(document.activeElement) === true) return;
    const target = readOnly
      ? form.querySelector<HTMLElement>("[data-cancel]")
      : form.querySelector<HTMLElement>(`[data-fields] :is(${firstField})`);
    target?.focus();
  };

  return (
    <>
      {open ? null : <LoadingBar />}
      <Dialog
        open={open}
        onClose={close}
        fullScreen={phone}
        fullWidth
        aria-labelledby={titleId}
        slotProps={{
          paper: { sx: phone ? { border: 0, borderRadius: 0 } : { maxWidth } },
          transition: { onEnter: focusFirst },
        }}
      >
        <Stack
          component="form"
          ref={formRef}
          noValidate
          aria-busy={busy}
          onSubmit={submit}
          sx={{ minHeight: 0, flex: 1 }}
        >
          <DialogTitle id={titleId}>
            {title}
            {subtitle === undefined ? null : (
              <Typography component="span" variant="body2" sx={{ display: "block", color: "text.secondary" }}>
                {subtitle}
              </Typography>
            )}
          </DialogTitle>
          <DialogContent>
            {hasError ? (
              <Alert ref={errorRef} severity="error" tabIndex={-1} sx={{ mb: 4 }}>
                {error}
              </Alert>
            ) : null}
            {summary}
            {props.restored === true && props.onDiscard !== undefined ? (
              <Box sx={{ mb: 4 }}>
                <RestoredNotice onDiscard={props.onDiscard} />
              </Box>
            ) : null}
            <Stack data-fields="" sx={{ gap: 4, pt: 1 }}>
              {props.children}
            </Stack>
          </DialogContent>
          <DialogActions>
            {props.extraActions}
            <Button data-cancel="" color="inherit" variant="outlined" onClick={close} disabled={busy}>
              {props.cancelLabel ?? (readOnly ? "Close" : "Cancel")}
            </Button>
            {readOnly ? null : (
              <SubmitButton label={submitLabel} busy={busy} disabledReason={props.submitDisabledReason} />
            )}
          </DialogActions>
        </Stack>
      </Dialog>
      <DiscardDialog {...toDiscardDialogProps(leaving, props.onDiscard, props.keeps)} unkept={props.unkept} />
    </>
  );
}

type SubmitButtonProps = { label: string; busy: boolean; disabledReason: string | undefined };

const SubmitButton = ({ label, busy, disabledReason }: SubmitButtonProps) => (
  <Disabled reason={disabledReason}>
    <Button
      type="submit"
      variant="contained"
      aria-disabled={busy}
      startIcon={busy ? <CircularProgress size={14} color="inherit" aria-hidden /> : undefined}
    >
      {label}
    </Button>
  </Disabled>
);
