// What is wrong with a submitted form: the first wrong field takes the focus, and where several are wrong, they are listed with links.
import { Alert, AlertTitle, Box, Link } from "@mui/material";
import { type RefObject, useCallback, useEffect, useState, useSyncExternalStore } from "react";

/** Each with the `id` of its input, or null where no single one is wrong. */
type WrongField = { fieldId: string | null; message: string };

type ErrorSummaryProps = {
  errors: readonly WrongField[];
  /** Changes with every submit, so that the focus comes again. */
  attempt?: number;
  /** Fewer are not listed. */
  least?: number;
};

const focusOn = (fieldId: string) => document.getElementById(fieldId)?.focus();

/** One wrong field is in sight already, as it has the focus. */
const several = 2;

export function ErrorSummary({ errors, attempt = 0, least = several }: ErrorSummaryProps) {
  const first = errors.find(({ fieldId }) => fieldId !== null)?.fieldId ?? null;
  useEffect(() => {
    if (first !== null) focusOn(first);
    // A field that is put right takes the focus to no other.
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- only an attempt does
  }, [attempt]);
  return <WrongFields errors={errors} least={least} />;
}

function WrongFields({ errors, least }: { errors: readonly WrongField[]; least: number }) {
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

/** Its label; the sentence stands at the field already. */
function labelOf(input: HTMLElement): string {
  const label = (input as HTMLInputElement).labels?.[0]?.textContent ?? input.getAttribute("aria-label") ?? "";
  return label.replace(/\s*\*$/, "");
}

/** The wrong fields as they are on the screen. */
function wrongIn(form: HTMLElement | null): WrongField[] {
  const wrong = form?.querySelectorAll<HTMLElement>('[aria-invalid="true"]') ?? [];
  return [...wrong].filter((input) => input.id !== "").map((input) => ({ fieldId: input.id, message: labelOf(input) }));
}

/** For a form that knows its fields by their looks only: `attempted` after a submit, and the summary. */
export function useWrongFields(form: RefObject<HTMLElement | null>) {
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
  const wrong = useSyncExternalStore(watch, () => (attempt === 0 ? "[]" : JSON.stringify(wrongIn(form.current))));
  useEffect(() => {
    if (attempt > 0) document.getElementById(wrongIn(form.current)[0]?.fieldId ?? "")?.focus();
  }, [attempt, form]);
  return {
    attempted: () => setAttempt((count) => count + 1),
    summary: attempt === 0 ? null : <WrongFields errors={JSON.parse(wrong) as WrongField[]} least={several} />,
  };
}
