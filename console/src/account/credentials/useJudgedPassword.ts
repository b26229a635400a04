// The server's judgement of a password that is being chosen, with what it must not contain (AU-07).
import { evaluatePassword } from "@psp/contract/auth/auth.api.ts";
import { type Evaluation, longestJudged } from "@psp/contract/auth/auth.ts";
import { useEffect, useState } from "react";
import { call } from "../../api/call.ts";

const typingPauseMs = 250;

type Owner = { name: string; email: string };
const question = (password: string, { name, email }: Owner) => ({
  password: password.slice(0, longestJudged),
  name: name.slice(0, 200),
  email: email.slice(0, 254),
});

type JudgedPassword = {
  evaluation: Evaluation | undefined;
  /** The evaluation is of a text that was typed. */
  isJudged: boolean;
  /** What is typed now was judged and lacks something. */
  lacks: boolean;
  /** Judges now; true as well when nobody answers: the server has the last word. */
  accepts: () => Promise<boolean>;
};

export function useJudgedPassword(password: string, owner: Owner): JudgedPassword {
  const now = JSON.stringify(question(password, owner));
  const [known, setKnown] = useState<{ of: string; isEmpty: boolean; evaluation: Evaluation } | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    const ask = () =>
      call(evaluatePassword, { body: JSON.parse(now) as ReturnType<typeof question>, signal: stop.signal }).then(
        (evaluation) => setKnown({ of: now, isEmpty: password === "", evaluation }),
        // Without an answer the chips stay as they were.
        () => undefined,
      );
    // The empty field asks at once, so that the requirements can be read before the first letter.
    const timer = setTimeout(() => void ask(), password === "" ? 0 : typingPauseMs);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [now, password]);
  return {
    evaluation: known?.evaluation,
    isJudged: password !== "" && known !== null && !known.isEmpty,
    lacks: password !== "" && known?.of === now && !known.evaluation.fulfilled,
    async accepts() {
      const evaluation = await call(evaluatePassword, { body: question(password, owner) }).catch(() => null);
      if (evaluation) setKnown({ of: now, isEmpty: password === "", evaluation });
      return evaluation?.fulfilled ?? true;
    },
  };
}
