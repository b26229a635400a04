// Evaluates a password on the server while the user types (AU-05, AU-07).
import { evaluatePassword } from "@psp/contract/auth/auth.api.ts";
import { type PasswordEvaluationResult, maxPasswordLength } from "@psp/contract/auth/auth.ts";
import { useEffect, useState } from "react";
import { call } from "../api/call.ts";

const typingPauseMs = 250;

/** The password must not contain these texts. */
export type PasswordOwner = { name: string; email: string };

/** Throws CallError. */
export function fetchEvaluation(
  password: string,
  owner?: PasswordOwner,
  signal?: AbortSignal,
): Promise<PasswordEvaluationResult> {
  const whose = owner && { name: owner.name.slice(0, 200), email: owner.email.slice(0, 254) };
  const body = { password: password.slice(0, maxPasswordLength), ...whose };
  return call(evaluatePassword, { body, ...(signal && { signal }) });
}

type Known = { of: string | null; isEmpty: boolean; details: PasswordEvaluationResult["details"] };
type Refused = { of: string | null; requirements: readonly string[] };

const isMissing = (details: PasswordEvaluationResult["details"]) => details.some(({ fulfilled }) => !fulfilled);

/** Also loads the requirements for an empty field, unless `asksEmpty` is false. */
export function usePasswordEvaluation(password: string, owner?: PasswordOwner, asksEmpty = true) {
  const [known, setKnown] = useState<Known>({ of: null, isEmpty: true, details: [] });
  const [refused, setRefused] = useState<Refused>({ of: null, requirements: [] });
  const now = JSON.stringify([password, owner]);
  const isEmpty = password === "";
  useEffect(() => {
    const [asked, whose] = JSON.parse(now) as [string, PasswordOwner | undefined | null];
    if (asked === "" && !asksEmpty) return;
    const stop = new AbortController();
    const ask = () =>
      fetchEvaluation(asked, whose ?? undefined, stop.signal).then(
        ({ details }) => setKnown({ of: now, isEmpty: asked === "", details }),
        // On failure the chips stay unchanged.
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
    details,
    /** Whether `details` evaluates a typed password. False while it only lists the requirements for an empty field. */
    isJudged: !isEmpty && known.of !== null && !known.isEmpty,
    lacks: !isEmpty && known.of === now && isMissing(details),
    /** Evaluates the current text. Also true if the server can't be reached, because saving validates the password anyway. */
    async accepts(): Promise<boolean> {
      if (known.of === now) return !isMissing(details);
      const answer = await fetchEvaluation(password, owner).catch(() => null);
      if (answer) setKnown({ of: now, isEmpty, details: answer.details });
      return answer?.fulfilled ?? true;
    },
    /**
     * Marks the requirements that a refused save reported as not fulfilled, even if the evaluation of the same password accepted
     * them. The server knows more when it saves, such as the owner.
     */
    refuse: (requirements: readonly string[]) => setRefused({ of: now, requirements }),
  };
}

export type PasswordEvaluation = ReturnType<typeof usePasswordEvaluation>;

function withRefusal(one: PasswordEvaluationResult["details"][number], requirements: readonly string[]) {
  return { ...one, fulfilled: one.fulfilled && !requirements.includes(one.requirement) };
}
