// Errors of a submitted form: focuses the first wrong field, and lists the errors with links if there are several.
import { Alert, AlertTitle, Box, Link } from "@mui/material";
import { type RefObject, useCallback, useEffect, useState, useSyncExternalStore } from "react";

/** `fieldId` is the id of the input, or null if the error concerns several. */
type InvalidField = { fieldId: string | null; message: string };

type ErrorSummaryProps = {
  errors: readonly InvalidField[];
  /** Increment on every submit, to move the focus again. */
  attempt?: number;
  /** Minimum number of errors for the list. */
  least?: number;
};

const focusOn = (fieldId: string) => document.getElementById(fieldId)?.focus();

/** A single wrong field needs no list, because it has the focus. */
const several = 2;

export function ErrorSummary({ errors, attempt = 0, least: minErrors = several }: ErrorSummaryProps) {
  const first = errors.find(({ fieldId }) => fieldId !== null)?.fieldId ?? null;
  useEffect(() => {
    if (first !== null) focusOn(first);
    // Correcting a field must not move the focus to the next.
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- only an attempt does
  }, [attempt]);
  return <InvalidFields errors={errors} least={minErrors} />;
}

function InvalidFields({ errors, least }: { errors: readonly InvalidField[]; least: number }) {
  if (errors.length < least) return null;
  return (
    <Alert severity="error" sx={{ mb: 4 }}>
      <AlertTitle>Please check the following fields</AlertTitle>
      <Box component="ul" sx={{ m: 0, pl: 4 }}>
        {errors.map(({ fieldId, message }) => (
          <li key={`${fieldId ?? ""} ${message}`}>
            {fieldId === null ? message : <FieldLink fieldId={fieldId}>{message}</FieldLink>}
          </li>
        ))}
      </Box>
    </Alert>
  );
}

function FieldLink({ fieldId, children }: { fieldId: string; children: string }) {
  return (
    <Link
      href={`#${fieldId}`}
      color="inherit"
      underline="always"
      sx={{ display: "inline-block", minHeight: 24, minWidth: 24, overflowWrap: "anywhere" }}
      onClick={(event) => {
        event.preventDefault();
        focusOn(fieldId);
      }}
    >
      {children}
    </Link>
  );
}

/** The label of an input; the field itself shows the message. */
function labelOf(input: HTMLElement): string {
  const label = (input as HTMLInputElement).labels?.[0]?.textContent ?? input.getAttribute("aria-label") ?? "";
  return label.replace(/\s*\*$/, "");
}

function findInvalidFields(form: HTMLElement | null): InvalidField[] {
  const wrong = form?.querySelectorAll<HTMLElement>('[aria-invalid="true"]') ?? [];
  return [...wrong].filter((input) => input.id !== "").map((input) => ({ fieldId: input.id, message: labelOf(input) }));
}

/**
 * For forms without access to their fields' state: finds errors in the DOM. Call `attempted` after a submit, and render
 * `summary`.
 */
export function useInvalidFields(form: RefObject<HTMLElement | null>) {
  const [attempt, setAttempt] = useState(0);
  const watch = useCallback(
    (onChange: () => void) => {
      if (attempt === 0 || form.current === null) return () => {};
      const observer = new MutationObserver(onChange);
      observer.observe(form.current, { subtree: true, childList: true, attributeFilter: ["aria-invalid"] });
      return () => observer.disconnect();
    },
    [attempt, form],
  );
  const wrong = useSyncExternalStore(watch, () =>
    attempt === 0 ? "[]" : JSON.stringify(findInvalidFields(form.current)),
  );
  useEffect(() => {
    if (attempt > 0) document.getElementById(findInvalidFields(form.current)[0]?.fieldId ?? "")?.focus();
  }, [attempt, form]);
  return {
    attempted: () => setAttempt((count) => count + 1),
    summary: attempt === 0 ? null : <InvalidFields errors={JSON.parse(wrong) as InvalidField[]} least={several} />,
  };
}
