// What a new password still lacks, as the server judges it, while it is typed (AU-07, spec 1 §2).
import CheckRounded from "@mui/icons-material/CheckRounded";
import RadioButtonUncheckedRounded from "@mui/icons-material/RadioButtonUncheckedRounded";
import Box from "@mui/material/Box";
import Chip from "@mui/material/Chip";
import type { Evaluation } from "@psp/contract/auth/auth.ts";
import { visuallyHidden } from "../../ui/visuallyHidden.ts";
import { accountText } from "../account.text.ts";

type PasswordRequirementsProps = {
  /** Undefined until the server has told any. */
  evaluation: Evaluation | undefined;
  /** Of a text that was typed; before that nothing is fulfilled or missing, there is only something to know. */
  isJudged: boolean;
};

/** Props: `evaluation`, `isJudged`. */
export function PasswordRequirements({ evaluation, isJudged }: PasswordRequirementsProps) {
  if (evaluation === undefined) return null;
  return (
    <Box
      component="ul"
      aria-label={accountText.passwordRules}
      aria-live="polite"
      sx={{ display: "flex", flexWrap: "wrap", gap: 2, listStyle: "none", m: 0, p: 0 }}
    >
      {evaluation.details.map(({ requirement, fulfilled }) => (
        <Box component="li" key={requirement} sx={{ minWidth: 0 }}>
          <Chip
            size="small"
            variant="outlined"
            color={isJudged && fulfilled ? "success" : "default"}
            icon={isJudged && fulfilled ? <CheckRounded /> : <RadioButtonUncheckedRounded />}
            label={
              <>
                {requirement}
                {!isJudged ? null : <span style={visuallyHidden}>{fulfilled ? " – fulfilled" : " – missing"}</span>}
              </>
            }
            sx={{
              maxWidth: "100%",
              height: "auto",
              minHeight: 24,
              "& .MuiChip-label": { whiteSpace: "normal", py: "3px" },
            }}
          />
        </Box>
      ))}
    </Box>
  );
}
