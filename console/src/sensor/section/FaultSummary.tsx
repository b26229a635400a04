// What is wrong with a section after an attempt to save it, on top and with links, be it one sentence; the first field takes the focus.
import { Alert, AlertTitle, Box, Link } from "@mui/material";
import { useEffect } from "react";
import { sectionText as text } from "./section.text.ts";
import { elementId, type PlacedFault } from "./section.values.ts";

type FaultSummaryProps = {
  faults: readonly PlacedFault[];
  /** Changes with every attempt, so that the focus comes again. */
  attempt: number;
};

const focusAt = (place: string) => document.getElementById(elementId(place))?.focus();

export function FaultSummary({ faults, attempt }: FaultSummaryProps) {
  const first = faults.find(({ place }) => place !== null)?.place ?? null;
  useEffect(() => {
    if (first !== null) focusAt(first);
    // A field that is put right takes the focus to no other.
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- only an attempt does
  }, [attempt]);
  if (faults.length === 0) return null;
  return (
    <Alert severity="error">
      <AlertTitle>{text.checkFields}</AlertTitle>
      <Box component="ul" sx={{ m: 0, pl: 4 }}>
        {faults.map(({ place, message }) => (
          <li key={`${place ?? ""} ${message}`}>
            {place === null ? message : <PlaceLink place={place}>{message}</PlaceLink>}
          </li>
        ))}
      </Box>
    </Alert>
  );
}

function PlaceLink({ place, children }: { place: string; children: string }) {
  return (
    <Link
      href={`#${elementId(place)}`}
      color="inherit"
      underline="always"
      sx={{ display: "inline-block", minHeight: 24, minWidth: 24, overflowWrap: "anywhere" }}
      onClick={(event) => {
        event.preventDefault();
        focusAt(place);
      }}
    >
      {children}
    </Link>
  );
}
