// What a new password still lacks, as chips that follow the typing; the server judges (AU-05, AU-07).
import CheckOutlined from "@mui/icons-material/CheckOutlined";
import RadioButtonUncheckedOutlined from "@mui/icons-material/RadioButtonUncheckedOutlined";
import Box from "@mui/material/Box";
import Chip from "@mui/material/Chip";
import { evaluatePassword } from "@psp/contract/auth/auth.api.ts";
import { type Evaluation, longestJudged } from "@psp/contract/auth/auth.ts";
import { useEffect, useState } from "react";
import { call } from "../api/call.ts";
import { visuallyHidden } from "../ui/visuallyHidden.ts";
import { authText } from "./auth.text.ts";

const typingPauseMs = 250;
const bodyOf = (password: string) => ({ password: password.slice(0, longestJudged) });

type Known = { of: string | null; details: Evaluation["details"] };
type Refused = { of: string | null; requirements: readonly string[] };

/** The server's judgement of what is typed, soon after the typing rests. */
export function usePasswordEvaluation(password: string) {
  const [known, setKnown] = useState<Known>({ of: null, details: [] });
  const [refused, setRefused] = useState<Refused>({ of: null, requirements: [] });
  useEffect(() => {
    const stop = new AbortController();
    const ask = () =>
      call(evaluatePassword, { body: bodyOf(password), signal: stop.signal }).then(
        ({ details }) => setKnown({ of: password, details }),
        // Without an answer the chips stay as they were; the server has the last word on submitting.
        () => undefined,
      );
    // The empty field asks at once, so that the requirements can be read before the first letter.
    const timer = setTimeout(() => void ask(), password === "" ? 0 : typingPauseMs);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [password]);
  const isMissing = (details: Evaluation["details"]) => details.some(({ fulfilled }) => !fulfilled);
  const details =
    refused.of === known.of ? known.details.map((one) => withRefusal(one, refused.requirements)) : known.details;
  return {
    details,
    /** The details are of a text that was typed. */
    isJudged: password !== "" && known.of !== null && known.of !== "",
    /** What is typed now was judged and lacks something. */
    lacks: known.of === password && isMissing(details),
    /** Judges this password now; true as well when nobody answers. */
    async accepts(text: string): Promise<boolean> {
      if (known.of === text) return !isMissing(details);
      const answer = await call(evaluatePassword, { body: bodyOf(text) }).catch(() => null);
      if (answer) setKnown({ of: text, details: answer.details });
      return answer?.fulfilled ?? true;
    },
    /**
     * Takes over what the server found when it knew more, e.g. whose password it is. Kept beside what is known: a
     * judgement of the same password that was still on its way knows less.
     */
    refuse(text: string, requirements: readonly string[]): void {
      setRefused({ of: text, requirements });
    },
  };
}

function withRefusal(one: Evaluation["details"][number], requirements: readonly string[]) {
  return { ...one, fulfilled: one.fulfilled && !requirements.includes(one.requirement) };
}

type PasswordRequirementsProps = {
  details: Evaluation["details"];
  /** Of a text that was typed; before that nothing is fulfilled or missing, there is only something to know. */
  isJudged: boolean;
};

/** Props: `details` of an evaluation, `isJudged`. Changes are read out. */
export function PasswordRequirements({ details, isJudged }: PasswordRequirementsProps) {
  return (
    <Box
      component="ul"
      aria-label={authText.requirements}
      aria-live="polite"
      sx={{ m: 0, p: 0, listStyle: "none", display: "flex", flexWrap: "wrap", gap: 2 }}
    >
      {details.map(({ requirement, fulfilled }) => (
        <Chip
          key={requirement}
          component="li"
          size="small"
          variant="outlined"
          color={isJudged && fulfilled ? "success" : "default"}
          icon={isJudged && fulfilled ? <CheckOutlined /> : <RadioButtonUncheckedOutlined />}
          label={
            <>
              <span>{requirement}</span>
              {!isJudged ? null : (
                <span style={visuallyHidden}>{fulfilled ? authText.fulfilled : authText.missing}</span>
              )}
            </>
          }
          sx={{ height: "auto", minHeight: 24, "& .MuiChip-label": { whiteSpace: "normal", py: "3px" } }}
        />
      ))}
    </Box>
  );
}
