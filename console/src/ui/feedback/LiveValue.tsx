// Marks a live value: while live updates are interrupted, it is shown as outdated.
import type { ReactNode } from "react";

type LiveValueProps = {
  /** Shows an outdated value's as-of time below it. By default, only screen readers get the time, because lists have many values. */
  large?: boolean;
  children: ReactNode;
};

const contents = { display: "contents" };

/** An element without layout. `staleValueStyles` styles all live values at once. */
export function LiveValue({ large = false, children }: LiveValueProps) {
  return (
    <span data-live={large ? "large" : ""} style={contents}>
      {children}
    </span>
  );
}

/**
 * Styles for the element around all pages while live updates are interrupted; expects the time in `--as-of`, as a quoted string.
 */
export const staleValueStyles = {
  "&[data-stale] [data-live]": {
    color: "text.secondary",
    fontStyle: "italic",
    "& svg": { filter: "grayscale(1)" },
    // Not visible: the text after the slash is for assistive technology.
    "&::after": { content: '"" / var(--as-of)' },
  },
  '&[data-stale] [data-live="large"]::after': {
    content: "var(--as-of)",
    display: "block",
    fontSize: "0.75rem",
    lineHeight: "16px",
    fontWeight: 400,
    whiteSpace: "nowrap",
  },
} as const;
