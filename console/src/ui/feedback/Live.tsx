// Marks a value that live updates keep right: while they do not arrive it looks and reads as old as it is.
import type { ReactNode } from "react";

type LiveProps = {
  /** Says the time below the value; by default, for the many values of lists, that is only read aloud. */
  large?: boolean;
  children: ReactNode;
};

const contents = { display: "contents" };

/** Takes no place and costs a plain element: what it looks like is decided once, at the page (`staleValues`). */
export function Live({ large = false, children }: LiveProps) {
  return (
    <span data-live={large ? "large" : ""} style={contents}>
      {children}
    </span>
  );
}

/** Of the element around all pages while nothing live arrives. It says since when in `--as-of`, a text in quotes. */
export const staleValues = {
  "&[data-stale] [data-live]": {
    color: "text.secondary",
    fontStyle: "italic",
    "& svg": { filter: "grayscale(1)" },
    // Not seen, but read: the words after the slash are what assistive technology is given.
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
