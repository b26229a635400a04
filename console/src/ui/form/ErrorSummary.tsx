// What is wrong with a submitted form, with a link to each field; takes the focus when it appears.
import { Alert, AlertTitle, Box, Link } from "@mui/material";
import { useEffect, useRef } from "react";

type ErrorSummaryProps = {
  /** Each with the `id` of its input. */
  errors: readonly { fieldId: string; message: string }[];
  /** Changes with every submit, so that the focus comes again. */
  attempt?: number;
};

export function ErrorSummary({ errors, attempt = 0 }: ErrorSummaryProps) {
  const ref = useRef<HTMLDivElement>(null);
  const any = errors.length > 0;
  useEffect(() => {
    if (any) ref.current?.focus();
  }, [any, attempt]);
  if (!any) return null;
  return (
    <Alert ref={ref} severity="error" tabIndex={-1} sx={{ mb: 4 }}>
      <AlertTitle>Please check the following fields</AlertTitle>
      <Box component="ul" sx={{ m: 0, pl: 4 }}>
        {errors.map((error) => (
          <li key={error.fieldId}>
            <Link
              href={`#${error.fieldId}`}
              color="inherit"
              underline="always"
              onClick={(event) => {
                event.preventDefault();
                document.getElementById(error.fieldId)?.focus();
              }}
            >
              {error.message}
            </Link>
          </li>
        ))}
      </Box>
    </Alert>
  );
}
