// Messages at the edge of the screen: failures stay until closed and are announced, successes are quiet and leave by themselves.
import type { NamedObject } from "@psp/contract/kit/refusal.ts";
import Alert from "@mui/material/Alert";
import AlertTitle from "@mui/material/AlertTitle";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Portal from "@mui/material/Portal";
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useReducer, useRef } from "react";
import { LinkedText } from "../ObjectLink.tsx";

export type ToastAction = { label: string; onClick: () => void };

export type ErrorToast = {
  /** The sentence, e.g. "Failed to update sensor." */
  title: string;
  /** The server's own text, appended below. */
  text?: string | undefined;
  /** What the text names: its name leads there. */
  object?: NamedObject | undefined;
  /** One way out, e.g. "New role". */
  action?: ToastAction | undefined;
  /** Same key replaces; default title and text. */
  key?: string;
};

type Toast = {
  key: string;
  kind: "error" | "success";
  title: string;
  text?: string | undefined;
  object?: NamedObject | undefined;
  action?: ToastAction | undefined;
};

export type Toasts = {
  /** Shows a failure until it is closed. */
  error: (toast: ErrorToast) => void;
  /** Shows a quiet confirmation for 4 s, with an optional action such as Undo (then 10 s). */
  success: (title: string, action?: ToastAction) => void;
  close: (key: string) => void;
  /** Removes all, e.g. at logout. */
  clear: () => void;
};

const visibleAtOnce = 4;

type Change = { do: "add"; toast: Toast } | { do: "close"; key: string } | { do: "clear" };

function reduce(toasts: readonly Toast[], change: Change): readonly Toast[] {
  if (change.do === "clear") return [];
  if (change.do === "close") return toasts.filter((toast) => toast.key !== change.key);
  const others = toasts.filter((toast) => toast.key !== change.toast.key);
  return [...others, change.toast];
}

const ToastContext = createContext<Toasts | null>(null);

/** The toasts of the console; needs `ToastProvider` above. */
export function useToasts(): Toasts {
  const toasts = useContext(ToastContext);
  if (toasts === null) throw new Error("useToasts needs a ToastProvider above it");
  return toasts;
}

/** Holds and shows the toasts. Put once around the application. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, change] = useReducer(reduce, []);
  const api = useMemo<Toasts>(
    () => ({
      error: ({ key, ...toast }) =>
        change({ do: "add", toast: { key: key ?? `${toast.title}\n${toast.text ?? ""}`, kind: "error", ...toast } }),
      success: (title, action) =>
        change({ do: "add", toast: { key: `${title}\n${Date.now()}`, kind: "success", title, action } }),
      close: (key) => change({ do: "close", key }),
      clear: () => change({ do: "clear" }),
    }),
    [],
  );
  return (
    <ToastContext value={api}>
      {children}
      {toasts.length === 0 ? null : <ToastStack toasts={toasts} onClose={api.close} onClear={api.clear} />}
    </ToastContext>
  );
}

function ToastStack(props: { toasts: readonly Toast[]; onClose: (key: string) => void; onClear: () => void }) {
  // Dialogs hide the rest of the page from screen readers; messages must stay heard and closable.
  const keepHeard = useCallback((stack: HTMLDivElement | null) => {
    if (stack === null) return;
    const show = () => stack.removeAttribute("aria-hidden");
    show();
    const observer = new MutationObserver(() => {
      if (stack.hasAttribute("aria-hidden")) show();
    });
    observer.observe(stack, { attributes: true, attributeFilter: ["aria-hidden"] });
    return () => observer.disconnect();
  }, []);
  const shown = props.toasts.slice(-visibleAtOnce);
  const hidden = props.toasts.length - shown.length;
  return (
    <Portal>
      <Box
        ref={keepHeard}
        sx={{
          position: "fixed",
          zIndex: "snackbar",
          bottom: { xs: "calc(12px + env(safe-area-inset-bottom))", sm: 20 },
          left: { xs: 12, sm: "auto" },
          right: { xs: 12, sm: 20 },
          width: { sm: 400 },
          display: "flex",
          flexDirection: "column",
          gap: 2,
        }}
      >
        {hidden === 0 ? null : (
          <Button
            size="small"
            color="inherit"
            variant="outlined"
            onClick={props.onClear}
            sx={{ alignSelf: "flex-end" }}
          >
            {`Close all (${props.toasts.length})`}
          </Button>
        )}
        {shown.map((toast) => (
          <ToastCard key={toast.key} toast={toast} onClose={() => props.onClose(toast.key)} />
        ))}
      </Box>
    </Portal>
  );
}

function ToastCard({ toast, onClose }: { toast: Toast; onClose: () => void }) {
  const quiet = toast.kind === "success";
  const close = useRef(onClose);
  useEffect(() => {
    close.current = onClose;
  });
  const lifeMs = toast.action === undefined ? 4000 : 10_000;
  useEffect(() => {
    if (!quiet) return;
    const timer = setTimeout(() => close.current(), lifeMs);
    return () => clearTimeout(timer);
  }, [quiet, lifeMs]);
  const { action } = toast;
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
        <Button size="small" color="inherit" onClick={onClose} sx={{ mt: "-2px" }}>
          Close
        </Button>
      }
    >
      <AlertTitle sx={{ mb: 0, pt: "2px" }}>{toast.title}</AlertTitle>
      {toast.text === undefined || toast.text === "" ? null : (
        <Box sx={{ color: "text.secondary", overflowWrap: "anywhere" }}>
          <LinkedText text={toast.text} object={toast.object} />
        </Box>
      )}
      {action === undefined ? null : (
        <Button
          size="small"
          variant="outlined"
          color="inherit"
          sx={{ mt: 2 }}
          onClick={() => {
            onClose();
            action.onClick();
          }}
        >
          {action.label}
        </Button>
      )}
    </Alert>
  );
}
