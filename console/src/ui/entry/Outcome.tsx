// An outcome above a form, or in its place; takes the focus, so that it is read out and found.
import { Alert } from "@mui/material";
import { type ReactNode, useEffect, useRef } from "react";

type OutcomeProps = {
  severity: "error" | "success";
  action?: ReactNode;
  /** The page is long: it is shown from its beginning. */
  atTop?: boolean;
  children: ReactNode;
};

export function Outcome({ severity, action, atTop = false, children }: OutcomeProps) {
  const alert = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (atTop) window.scrollTo({ top: 0 });
    alert.current?.focus({ preventScroll: atTop });
  }, [atTop]);
  return (
    <Alert ref={alert} severity={severity} tabIndex={-1} action={action}>
      {children}
    </Alert>
  );
}
