// The user's own account: data, rights, logins and sessions (MY-01).
import { type Account, registrationSteps } from "@psp/contract/account/account.ts";
import { findAgreement, newestAgreement } from "@psp/contract/legal/agreements.ts";
import EditOutlined from "~icons/ic/outline-edit";
import MailOutlineRounded from "~icons/ic/round-mail-outline";
import PersonAddAltOutlined from "~icons/ic/outline-person-add-alt";
import PersonOffOutlined from "~icons/ic/outline-person-off";
import { Box, Button } from "@mui/material";
import { Outlet } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { registrationText } from "../../registration/registration.text.ts";
import { operator } from "../../api/config.ts";
import { AppLink, useLink } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { DefaultHours } from "../../opening/DefaultHours.tsx";
import { openingText } from "../../opening/opening.text.ts";
import { reportText } from "../../report/report.text.ts";
import { WeeklyReportSwitch } from "../../report/WeeklyReportSwitch.tsx";
import { useActor, useUser } from "../../api/session/session.tsx";
import { useCan } from "../../api/session/useCan.ts";
import { standaloneLinkStyles } from "../../ui/theme/targets.ts";
import { SectionCard } from "../../ui/SectionCard.tsx";
import { Disabled } from "../../ui/feedback/Disabled.tsx";
import { RichTip } from "../../ui/feedback/RichTip.tsx";
import { StatusDot } from "../../ui/feedback/StatusDot.tsx";
import { Ellipsis } from "../../ui/Ellipsis.tsx";
import { FactList } from "../../ui/FactList.tsx";
import { PageHeader } from "../../ui/PageHeader.tsx";
import { FeedLink } from "./FeedLink.tsx";
import { OwnSessions } from "./OwnSessions.tsx";
import { RemoteConsentSwitch } from "./RemoteConsentSwitch.tsx";
import { accountText, feedText, remoteConsentText } from "../account.text.ts";
import { useDeletePermission } from "../form/DeleteAccountDialog.tsx";

const factColumns = { columns: "96px 1fr", columnGap: 3 };

export function MyAccountPage() {
  const user = useUser();
  const join = (...parts: (string | null)[]) => parts.filter(Boolean).join(" ") || "-";
  return (
    <>
      <PageHeader title={accountText.myTitle} />
      <Box
        sx={{
          display: "grid",
          gap: 4,
          gridTemplateColumns: { xs: "minmax(0, 1fr)", md: "minmax(0, 1fr) minmax(0, 1fr)" },
          alignItems: "start",
          maxWidth: 1000,
        }}
      >
        <Column>
          <SectionCard title={accountText.profile}>
            <FactList
              {...factColumns}
              facts={[
                [accountText.name, user.name],
                [accountText.role, user.role?.name ?? "-"],
              ]}
            />
          </SectionCard>
          <SectionCard title={accountText.address}>
            <FactList
              {...factColumns}
              facts={[
                [registrationText.street, join(user.street, user.streetNumber)],
                [registrationText.city, join(user.zip, user.city)],
                [registrationText.country, user.country || "-"],
                [accountText.phone, user.phone || "-"],
              ]}
            />
          </SectionCard>
          <SectionCard title={openingText.title}>
            <OwnHours />
          </SectionCard>
        </Column>
        <Column>
          <SectionCard title={accountText.actions}>
            <Actions />
          </SectionCard>
          <SectionCard title={accountText.credentials}>
            <Box
              component="ul"
              sx={{ listStyle: "none", m: 0, p: 0, display: "flex", flexDirection: "column", gap: 2 }}
            >
              {user.credentials.map(({ email }, index) => (
                <Box
                  key={email}
                  component="li"
                  sx={{
                    display: "flex",
                    flexDirection: { xs: "column", sm: "row" },
                    alignItems: { xs: "flex-start", sm: "center" },
                    columnGap: 3,
                    minHeight: 28,
                  }}
                >
                  <Box sx={{ mr: "auto", minWidth: 0, maxWidth: "100%" }}>
                    <Ellipsis>{email === user.email ? `${email} ${accountText.you}` : email}</Ellipsis>
                  </Box>
                  <LoginStatus info={user.registrationInfo[index]} />
                </Box>
              ))}
            </Box>
          </SectionCard>
          <SectionCard title={reportText.card}>
            <WeeklyReportSwitch />
          </SectionCard>
          <SectionCard title={remoteConsentText.card}>
            <RemoteConsentSwitch />
          </SectionCard>
          <SectionCard title={feedText.card}>
            <FeedLink />
          </SectionCard>
        </Column>
        <SectionCard title={accountText.sessions} sx={{ gridColumn: "1 / -1" }}>
          <OwnSessions />
        </SectionCard>
      </Box>
      <Outlet />
    </>
  );
}

function OwnHours() {
  const user = useUser();
  const mayEdit = useCan().editAccount(useActor());
  return <DefaultHours account={user} mayEdit={mayEdit} />;
}

/** Link to an email that asks the operator to change the address; no one else can change it. */
function addressChangeMail(name: string): string {
  const subject = encodeURIComponent(accountText.addressChangeSubject(name));
  const body = encodeURIComponent(accountText.addressChangeBody(name));
  return `mailto:${operator.email}?subject=${subject}&body=${body}`;
}

function Actions() {
  const user = useUser();
  const { why } = useDeletePermission(user);
  const can = useCan();
  const edit = useLink(paths.account(user._id));
  const invite = useLink(paths.inviteFromMyAccount);
  const close = useLink(paths.closeAccount(user._id));
  const common = { variant: "outlined", color: "inherit", sx: { justifyContent: "flex-start" } } as const;
  return (
    <Box sx={{ display: "flex", flexDirection: "column", gap: 2 }}>
      <Disabled reason={user.permissions === null ? accountText.cantEditMine : undefined}>
        <Button {...common} startIcon={<EditOutlined />} {...edit}>
          {accountText.editMine}
        </Button>
      </Disabled>
      {can.invite() ? (
        <Button {...common} startIcon={<PersonAddAltOutlined />} {...invite}>
          {accountText.invite}
        </Button>
      ) : null}
      <Button {...common} startIcon={<MailOutlineRounded />} href={addressChangeMail(user.name)}>
        {accountText.addressChange}
      </Button>
      <Disabled reason={why === accountText.noDelete ? accountText.cantCloseMine : why}>
        <Button {...common} color="error" startIcon={<PersonOffOutlined />} {...close}>
          {accountText.closeMine}
        </Button>
      </Disabled>
    </Box>
  );
}

function Column({ children }: { children: ReactNode }) {
  return <Box sx={{ display: "flex", flexDirection: "column", gap: 4, minWidth: 0 }}>{children}</Box>;
}

type Info = Account["registrationInfo"][number];

/** Registration status of a login; without `info` it was created by an administrator. */
function LoginStatus({ info }: { info: Info | undefined }) {
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
  // Logins created by an administrator skip the registration steps.
  const given = complete && legal === null;
  const state = (reached: boolean) => (given ? accountText.notNeeded : reached ? accountText.done : accountText.open);
  const agreement = legal === null ? newestAgreement : (findAgreement(legal.dpaVersion) ?? newestAgreement);
  return (
    <Box component="ol" sx={{ m: 0, pl: 4, display: "flex", flexDirection: "column", gap: 2 }}>
      <li>
        {`${accountText.formStep}: ${state(step !== registrationSteps.invited)}`}
        {given ? null : (
          <>
            <Box>
              <AppLink to={paths.endUserLicense} sx={standaloneLinkStyles}>
                {registrationText.eula}
              </AppLink>
            </Box>
            <Box>
              <AppLink to={paths.dataProcessingOn(agreement.date)} sx={standaloneLinkStyles}>
                {accountText.dpaVersion(agreement.version)}
              </AppLink>
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
