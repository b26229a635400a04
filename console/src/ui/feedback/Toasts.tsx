// Toasts. Failures are announced and stay until closed; successes are quiet and disappear by themselves.
import type { NamedObject } from "@psp/contract/kit/refusal.ts";
import { Alert, AlertTitle, Box, Button, Link, Portal, Stack } from "@mui/material";
import { createContext, type ReactNode, type Ref, useCallback, useContext, useEffect, useMemo, useState } from "react";
import { CopyButton } from "../CopyButton.tsx";
import { LinkedText } from "../ObjectLink.tsx";

export type ToastAction = { label: string; onClick: () => void };

export type ErrorToast = {
  /** E.g. "Failed to update sensor." */
  title: string;
  /** The server's message, shown below the title. */
  text?: string | undefined;
  /** Request id for support, copyable, at the end of the text. */
  requestId?: string | undefined;
  /** Support link that contains the request id; null if no support address is configured. */
  support?: string | null;
  /** The object named in the text; becomes a link. */
  object?: NamedObject | undefined;
  /** A suggested action, e.g. "New role". */
  action?: ToastAction | undefined;
  /** A toast with the same key replaces this one; defaults to title and text. */
  key?: string;
  /** Closes the toast after this time (ms). Only for errors that the page shows, too. */
  forMs?: number;
};

type Toast = Required<Pick<ErrorToast, "key">> & Omit<ErrorToast, "key"> & { kind: "error" | "success" };

export type Toasts = {
  /** Shows a failure until it is closed. */
  error: (toast: ErrorToast) => void;
  /** Shows a quiet confirmation for `forMs`; by default 4 s, or 10 s with an action such as Undo. */
  success: (title: string, action?: ToastAction, forMs?: number, more?: Pick<ErrorToast, "text" | "object">) => void;
  close: (key: string) => void;
  clear: () => void;
};

const visibleAtOnce = 4;

const ToastContext = createContext<Toasts | null>(null);

/** Requires `ToastProvider`. */
export function useToasts(): Toasts {
  const toasts = useContext(ToastContext);
  if (toasts === null) throw new Error("useToasts needs a ToastProvider above it");
  return toasts;
}

/** Render once around the application. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const api = useMemo<Toasts>(() => {
    const add = (toast: Toast) => setToasts((all) => [...all.filter(({ key }) => key !== toast.key), toast]);
    return {
      error: ({ key, ...toast }) => add({ key: key ?? `${toast.title}\n${toast.text ?? ""}`, kind: "error", ...toast }),
      success: (title, action, forMs = action === undefined ? 4000 : 10_000, more = {}) =>
        add({ key: `${title}\n${Date.now()}`, kind: "success", title, action, forMs, ...more }),
      close: (key) => setToasts((all) => all.filter((toast) => toast.key !== key)),
      clear: () => setToasts([]),
    };
  }, []);
  return (
    <ToastContext value={api}>
      {children}
      {toasts.length === 0 ? null : <ToastStack toasts={toasts} api={api} />}
    </ToastContext>
  );
}

type CornerStackProps = { side: "left" | "right"; ref?: Ref<HTMLDivElement>; children: ReactNode };

/** Keeps toasts from covering the form's buttons, so that the user can submit again. */
const besideButtons = {
  // Tall dialogs reach down to the toasts.
  "body:has(> .MuiDialog-root) &": { bottom: "auto", top: { xs: 12, sm: 20 } },
  // On phones the save bar is as wide as the window.
  "body:has([data-save-bar]):not(:has(> .MuiDialog-root)) &": { bottom: { xs: 124, sm: 20 } },
};

/** Stack of cards in a lower corner of the window, above everything else; full width on phones. */
export function CornerStack({ side, ref = null, children }: CornerStackProps) {
  const other = side === "left" ? "right" : "left";
  return (
    <Portal>
      <Stack
        ref={ref}
        sx={{
          position: "fixed",
          zIndex: "snackbar",
          bottom: { xs: "calc(12px + env(safe-area-inset-bottom))", sm: 20 },
          [side]: { xs: 12, sm: 20 },
          [other]: { xs: 12, sm: "auto" },
          width: { sm: 400 },
          gap: 2,
          ...(side === "right" && besideButtons),
        }}
      >
        {children}
      </Stack>
    </Portal>
  );
}

function ToastStack({ toasts, api }: { toasts: readonly Toast[]; api: Toasts }) {
  // Dialogs hide the rest of the page from screen readers; toasts must stay readable and closable.
  const keepReadable = useCallback((stack: HTMLDivElement | null) => {
    if (stack === null) return;
    const show = () => stack.removeAttribute("aria-hidden");
    show();
    const observer = new MutationObserver(() => {
      if (stack.hasAttribute("aria-hidden")) show();
    });
    observer.observe(stack, { attributes: true, attributeFilter: ["aria-hidden"] });
    return () => observer.disconnect();
  }, []);
  const shown = toasts.slice(-visibleAtOnce);
  const hidden = toasts.length - shown.length;
  return (
    <CornerStack ref={keepReadable} side="right">
      {hidden === 0 ? null : (
        <Button size="small" color="inherit" variant="outlined" onClick={api.clear} sx={{ alignSelf: "flex-end" }}>
          {`Close all (${toasts.length})`}
        </Button>
      )}
      {shown.map((toast) => (
        <ToastCard key={toast.key} toast={toast} onClose={api.close} />
      ))}
    </CornerStack>
  );
}

function RequestNumber({ id, support = null }: { id: string; support?: string | null | undefined }) {
  return (
    <>
      <CopyButton value={id} label="Copy request ID" />
      {support === null ? null : (
        <Link href={support} target="_blank" rel="noreferrer" underline="always" color="inherit" sx={{ ml: 1 }}>
          Contact support
        </Link>
      )}
    </>
  );
}

function ToastCard({ toast, onClose }: { toast: Toast; onClose: Toasts["close"] }) {
  const { key, title, text = "", requestId, support, object, action, forMs } = toast;
  const quiet = toast.kind === "success";
  const close = useCallback(() => onClose(key), [onClose, key]);
  useEffect(() => {
    if (forMs === undefined) return;
    const timer = setTimeout(close, forMs);
    return () => clearTimeout(timer);
  }, [forMs, close]);
  return (
    <Alert
      severity={toast.kind}
      role={quiet ? "status" : "alert"}
      variant="outlined"
      sx={{
        bgcolor: "background.paper",
        color: "text.primary",
        borderColor: "divider",
        boxShadow: "0 8px 28px rgb(6 20 18 / 0.16)",
        "@keyframes toast-in": { from: { opacity: 0, transform: "translateY(8px)" } },
        animation: "toast-in 160ms ease-out",
      }}
      action={
        <Button size="small" color="inherit" onClick={close} sx={{ mt: "-2px" }}>
          Close
        </Button>
      }
    >
      <AlertTitle sx={{ mb: 0, pt: "2px" }}>{title}</AlertTitle>
      {text === "" ? null : (
        <Box sx={{ color: "text.secondary", overflowWrap: "anywhere" }}>
          <LinkedText text={text} object={object} />
          {requestId === undefined ? null : <RequestNumber id={requestId} support={support} />}
        </Box>
      )}
      {action === undefined ? null : (
        <Button
          size="small"
          variant="outlined"
          color="inherit"
          sx={{ mt: 2 }}
          onClick={() => {
            close();
            action.onClick();
          }}
        >
          {action.label}
        </Button>
      )}
    </Alert>
  );
}
