// A large number with its label and its change.
import { Box } from "@mui/material";
import { styled } from "@mui/material/styles";
import { type ReactNode, useId } from "react";
import { Explain } from "../feedback/Explain.tsx";
import { Tip } from "../feedback/Tip.tsx";
import { Change, type ChangeProps } from "./Change.tsx";

export const LargeNumber = styled("div")({
  fontSize: "1.375rem",
  lineHeight: "36px",
  fontWeight: 600,
  fontVariantNumeric: "tabular-nums",
});

type FigureProps = {
  label: string;
  value: ReactNode;
  /** Shown beside the number; `description` states the comparison. */
  change?: (ChangeProps & { description: string }) | undefined;
  /** Shows the number larger than those of the figures beside it. */
  isMain?: boolean;
  note?: ReactNode;
  /** Explanation of the label, behind a question mark. */
  explained?: string;
};

export const mainNumberStyles = { fontSize: "1.875rem" } as const;

export function Figure({ label, value, change, isMain = false, note, explained }: FigureProps) {
  const id = useId();
  return (
    <Box role="group" aria-label={label} sx={{ minWidth: 0 }}>
      <Box sx={{ color: "text.secondary", display: "flex", alignItems: "center", height: 20 }}>
        <span aria-hidden>{label}</span>
        {explained === undefined ? null : <Explain term={label}>{explained}</Explain>}
      </Box>
      <Box sx={{ display: "flex", alignItems: "baseline", columnGap: 2, flexWrap: "wrap" }}>
        <LargeNumber style={isMain ? mainNumberStyles : undefined}>{value}</LargeNumber>
        {change === undefined ? null : (
          <Tip text={change.description}>
            <span aria-describedby={id} aria-description={change.description}>
              <Change {...change} />
            </span>
          </Tip>
        )}
      </Box>
      <Box id={id} sx={{ color: "text.secondary", fontSize: "0.75rem", lineHeight: "16px", minHeight: 16 }}>
        {note}
      </Box>
    </Box>
  );
}
