// How far the registration of a login is, in words, with the steps and what was accepted in its tooltip (spec 2 §2, §4).
import { type Account, registrationSteps } from "@psp/contract/account/account.ts";
import { agreementFor, newestAgreement } from "@psp/contract/legal/agreements.ts";
import Box from "@mui/material/Box";
import { AppLink } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { RichTip } from "../../ui/feedback/RichTip.tsx";
import { StatusDot } from "../../ui/feedback/StatusDot.tsx";
import { accountText } from "../account.text.ts";

type Info = Account["registrationInfo"][number];

/** Props: `info`, undefined for a login that never had a registration. */
export function LoginStatus({ info }: { info: Info | undefined }) {
  const step = info?.stepReached ?? registrationSteps.complete;
  const tone = step === registrationSteps.complete ? "good" : step < 0 ? "warning" : "pending";
  return (
    <RichTip content={<Steps step={step} legal={info?.legal ?? null} />}>
      <StatusDot tone={tone} label={accountText.steps[step] ?? ""} />
    </RichTip>
  );
}

function Steps({ step, legal }: { step: number; legal: Info["legal"] }) {
  const complete = step === registrationSteps.complete;
  // A login that an administrator made works at once.
  const given = complete && legal === null;
  const state = (reached: boolean) => (given ? accountText.notNeeded : reached ? accountText.done : accountText.open);
  const agreement = legal === null ? newestAgreement : (agreementFor(legal.dpaVersion) ?? newestAgreement);
  return (
    <Box component="ol" sx={{ m: 0, pl: 4, display: "flex", flexDirection: "column", gap: 2 }}>
      <li>
        {`${accountText.formStep}: ${state(step !== registrationSteps.invited)}`}
        {given ? null : (
          <>
            <Box>
              <AppLink to={paths.endUserLicense}>{accountText.eula}</AppLink>
            </Box>
            <Box>
              <AppLink to={paths.dataProcessingOn(agreement.date)}>{accountText.dpaVersion(agreement.version)}</AppLink>
            </Box>
          </>
        )}
        {legal === null ? null : (
          <Box sx={{ color: "text.secondary" }}>
            {accountText.acceptedBy(
              `${legal.firstName} ${legal.familyName}`,
              new Date(legal.dpaAcceptedAt).toLocaleDateString("en-GB"),
            )}
          </Box>
        )}
      </li>
      <li>{`${accountText.confirmStep}: ${state(complete)}`}</li>
    </Box>
  );
}
