// A large number with its label and its change.
import { Box } from "@mui/material";
import { styled } from "@mui/material/styles";
import { type ReactNode, useId } from "react";
import { Explain } from "../feedback/Explain.tsx";
import { Tip } from "../feedback/Tip.tsx";

export const LargeNumber = styled("div")({
  fontSize: "1.375rem",
  lineHeight: "28px",
  fontWeight: 600,
  fontVariantNumeric: "tabular-nums",
});

type FigureProps = {
  label: string;
  value: ReactNode;
  /** `text` is shown beside the number, e.g. "+8 %"; `description` states the comparison. */
  change?: { text: string; description: string } | undefined;
  note?: ReactNode;
  /** Explanation of the label, behind a question mark. */
  explained?: string;
};

export function Figure({ label, value, change, note, explained }: FigureProps) {
  const id = useId();
  return (
    <Box role="group" aria-label={label} sx={{ minWidth: 0 }}>
      <Box sx={{ color: "text.secondary", display: "flex", alignItems: "center", height: 20 }}>
        <span aria-hidden>{label}</span>
        {explained === undefined ? null : <Explain term={label}>{explained}</Explain>}
      </Box>
      <Box sx={{ display: "flex", alignItems: "baseline", columnGap: 2, flexWrap: "wrap" }}>
        <LargeNumber>{value}</LargeNumber>
        {change === undefined ? null : <Change {...change} noteId={id} />}
      </Box>
      <Box id={id} sx={{ color: "text.secondary", fontSize: "0.75rem", lineHeight: "16px", minHeight: 16 }}>
        {note}
      </Box>
    </Box>
  );
}

function Change({ text, description, noteId }: { text: string; description: string; noteId: string }) {
  return (
    <Tip text={description}>
      <Box
        component="span"
        aria-describedby={noteId}
        aria-description={description}
        sx={{ fontWeight: 600, fontVariantNumeric: "tabular-nums", color: "text.secondary", whiteSpace: "nowrap" }}
      >
        {text}
      </Box>
    </Tip>
  );
}
