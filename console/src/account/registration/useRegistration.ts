// Where the registration behind a mailed link stands, and what is said when it stands nowhere (RG-01, RG-06).
import { registrationSteps } from "@psp/contract/account/account.ts";
import { getRegistration } from "@psp/contract/registration/registration.api.ts";
import type { RegistrationState } from "@psp/contract/registration/registration.ts";
import { useEffect, useState } from "react";
import { call, CallError } from "../../api/call.ts";
import { registrationText } from "./registration.text.ts";

type LinkParams = { id: string; regId: string };

type Loaded = { state?: RegistrationState; error?: unknown };

export const stepOf = (state: RegistrationState) => state.registrationInfo[0]?.stepReached ?? registrationSteps.invited;

/** Not from the cache of the signed-in pages: that is cleared when it turns out that nobody is. */
export function useRegistration({ id, regId }: LinkParams) {
  const [loaded, setLoaded] = useState<Loaded>({});
  const [attempt, setAttempt] = useState(1);
  useEffect(() => {
    const stop = new AbortController();
    call(getRegistration, { params: { id, regId }, signal: stop.signal }).then(
      (state) => setLoaded({ state }),
      (error: unknown) => (stop.signal.aborted ? undefined : setLoaded({ error })),
    );
    return () => stop.abort();
  }, [id, regId, attempt]);
  return {
    ...loaded,
    setState: (state: RegistrationState) => setLoaded({ state }),
    retry: () => {
      setLoaded({});
      setAttempt(attempt + 1);
    },
  };
}

/** Nobody knows the link: it was never whole, or what it led to has ended. */
export const isGone = (error: unknown) => error instanceof CallError && error.status === 404;

export const mayWorkLater = (error: unknown) =>
  error instanceof CallError && (error.status === 0 || error.status === 429 || error.status >= 500);

/** What happened, and what can be done about it. */
export function whyLinkFailed(error: unknown): string {
  if (!(error instanceof CallError)) return registrationText.failed;
  if (error.status === 429) return registrationText.rateLimit;
  if (!isGone(error)) return error.message;
  return typeof error.details["reason"] === "string" ? registrationText.invitationOver : registrationText.linkGone;
}
