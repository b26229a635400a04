// The server's judgement of a password that is being chosen, soon after the typing rests (AU-05, AU-07).
import { evaluatePassword } from "@psp/contract/auth/auth.api.ts";
import { type Evaluation, maxJudgedLength } from "@psp/contract/auth/auth.ts";
import { useEffect, useState } from "react";
import { call } from "../api/call.ts";

const typingPauseMs = 250;

/** Whose password it is to be: it must not contain these. */
export type PasswordOwner = { name: string; email: string };

/** Throws CallError when no answer comes. */
export function judgePassword(password: string, owner?: PasswordOwner, signal?: AbortSignal): Promise<Evaluation> {
  const whose = owner && { name: owner.name.slice(0, 200), email: owner.email.slice(0, 254) };
  const body = { password: password.slice(0, maxJudgedLength), ...whose };
  return call(evaluatePassword, { body, ...(signal && { signal }) });
}

type Known = { of: string | null; isEmpty: boolean; details: Evaluation["details"] };
type Refused = { of: string | null; requirements: readonly string[] };

const isMissing = (details: Evaluation["details"]) => details.some(({ fulfilled }) => !fulfilled);

/** The empty field asks at once, so that the requirements can be read before the first letter; `asksEmpty` false never. */
export function usePasswordJudge(password: string, owner?: PasswordOwner, asksEmpty = true) {
  const [known, setKnown] = useState<Known>({ of: null, isEmpty: true, details: [] });
  const [refused, setRefused] = useState<Refused>({ of: null, requirements: [] });
  const now = JSON.stringify([password, owner]);
  const isEmpty = password === "";
  useEffect(() => {
    const [asked, whose] = JSON.parse(now) as [string, PasswordOwner | undefined | null];
    if (asked === "" && !asksEmpty) return;
    const stop = new AbortController();
    const ask = () =>
      judgePassword(asked, whose ?? undefined, stop.signal).then(
        ({ details }) => setKnown({ of: now, isEmpty: asked === "", details }),
        // Without an answer the chips stay as they were.
        () => undefined,
      );
    const timer = setTimeout(() => void ask(), asked === "" ? 0 : typingPauseMs);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [now, asksEmpty]);
  const details =
    refused.of === known.of ? known.details.map((one) => withRefusal(one, refused.requirements)) : known.details;
  return {
    /** Requirements of what was judged last; none before the first answer. */
    details,
    /** The details are of a text that was typed; of the empty one nothing is fulfilled or missing. */
    isJudged: !isEmpty && known.of !== null && !known.isEmpty,
    /** What is typed now was judged and lacks something. */
    lacks: !isEmpty && known.of === now && isMissing(details),
    /** Judges what is typed now; true as well when no answer comes: the server has the last word. */
    async accepts(): Promise<boolean> {
      if (known.of === now) return !isMissing(details);
      const answer = await judgePassword(password, owner).catch(() => null);
      if (answer) setKnown({ of: now, isEmpty, details: answer.details });
      return answer?.fulfilled ?? true;
    },
    /**
     * Takes over what the server found when it knew more, e.g. whose password it is. Kept beside what is known: a judgement
     * of the same password that was still on its way knows less.
     */
    refuse: (requirements: readonly string[]) => setRefused({ of: now, requirements }),
  };
}

export type PasswordJudge = ReturnType<typeof usePasswordJudge>;

function withRefusal(one: Evaluation["details"][number], requirements: readonly string[]) {
  return { ...one, fulfilled: one.fulfilled && !requirements.includes(one.requirement) };
}
