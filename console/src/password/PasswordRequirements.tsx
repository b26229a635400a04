// Shows the password requirements as chips, which are updated while the user types (AU-05, AU-07).
import CheckOutlined from "~icons/ic/outline-check";
import RadioButtonUncheckedOutlined from "~icons/ic/outline-radio-button-unchecked";
import { Box, Chip } from "@mui/material";
import { visuallyHidden } from "../ui/visuallyHidden.ts";
import type { PasswordEvaluation } from "./usePasswordEvaluation.ts";

type PasswordRequirementsProps = Pick<PasswordEvaluation, "details" | "isJudged"> & {
  /** Texts for screen readers. */
  words: { requirements: string; fulfilled: string; missing: string };
};

const chip = { maxWidth: 1, height: "auto", minHeight: 24, "& .MuiChip-label": { whiteSpace: "normal", py: "3px" } };

/** Screen readers announce each change. */
export function PasswordRequirements({ details, isJudged, words }: PasswordRequirementsProps) {
  if (details.length === 0) return null;
  return (
    <Box
      component="ul"
      aria-label={words.requirements}
      aria-live="polite"
      sx={{ display: "flex", flexWrap: "wrap", gap: 2, listStyle: "none", m: 0, p: 0 }}
    >
      {details.map(({ requirement, fulfilled }) => (
        <Box component="li" key={requirement} sx={{ minWidth: 0 }}>
          <Chip
            size="small"
            variant="outlined"
            color={isJudged && fulfilled ? "success" : "default"}
            icon={isJudged && fulfilled ? <CheckOutlined /> : <RadioButtonUncheckedOutlined />}
            label={
              <>
                {requirement}
                {isJudged ? <span style={visuallyHidden}>{fulfilled ? words.fulfilled : words.missing}</span> : null}
              </>
            }
            sx={chip}
          />
        </Box>
      ))}
    </Box>
  );
}
