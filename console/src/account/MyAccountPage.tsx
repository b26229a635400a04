// One's own account: name and role, address and phone, and the logins with how far their registration is (spec 2 §2).
import type { Account } from "@psp/contract/account/account.ts";
import Box from "@mui/material/Box";
import Card from "@mui/material/Card";
import CardContent from "@mui/material/CardContent";
import Typography from "@mui/material/Typography";
import type { ReactNode } from "react";
import { useUser } from "../session/session.tsx";
import { Ellipsis } from "../ui/Ellipsis.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { StatusDot } from "../ui/StatusDot.tsx";
import { useTip } from "../ui/Tip.tsx";
import { accountText } from "./account.text.ts";

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
        <Section title={accountText.profile}>
          <Facts
            facts={[
              [accountText.name, user.name],
              [accountText.role, user.role?.name ?? "-"],
            ]}
          />
        </Section>
        <Section title={accountText.address}>
          <Facts
            facts={[
              [accountText.street, join(user.street, user.streetNumber)],
              [accountText.city, join(user.zip, user.city)],
              [accountText.country, user.country ?? "-"],
              [accountText.phone, user.phone ?? "-"],
            ]}
          />
        </Section>
        <Section title={accountText.credentials}>
          <Box component="ul" sx={{ listStyle: "none", m: 0, p: 0, display: "flex", flexDirection: "column", gap: 2 }}>
            {user.credentials.map(({ email }, index) => (
              <Credential key={email} email={email} own={email === user.email} info={user.registrationInfo[index]} />
            ))}
          </Box>
        </Section>
      </Box>
    </>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card component="section" aria-label={title}>
      <CardContent sx={{ display: "flex", flexDirection: "column", gap: 3 }}>
        <Typography variant="h2">{title}</Typography>
        {children}
      </CardContent>
    </Card>
  );
}

function Facts({ facts }: { facts: readonly (readonly [label: string, value: string])[] }) {
  return (
    <Box component="dl" sx={{ m: 0, display: "grid", gridTemplateColumns: "96px 1fr", columnGap: 3, rowGap: 2 }}>
      {facts.map(([label, value]) => (
        <Box key={label} sx={{ display: "contents" }}>
          <Box component="dt" sx={{ color: "text.secondary" }}>
            {label}
          </Box>
          <Box component="dd" sx={{ m: 0, overflowWrap: "anywhere" }}>
            {value}
          </Box>
        </Box>
      ))}
    </Box>
  );
}

type Info = Account["registrationInfo"][number];

/** A login and its state; without registration it was made by an administrator and works at once. */
function Credential({ email, own, info }: { email: string; own: boolean; info: Info | undefined }) {
  const step = info?.stepReached ?? 2;
  const { handlers, tip } = useTip(() => <Steps step={step} info={info} />);
  return (
    <Box component="li" sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", columnGap: 3, minHeight: 28 }}>
      <Box sx={{ mr: "auto", minWidth: 0 }}>
        <Ellipsis>{own ? `${email} ${accountText.you}` : email}</Ellipsis>
      </Box>
      <Box component="span" {...handlers} tabIndex={0}>
        <StatusDot
          tone={step === 2 ? "good" : step < 0 ? "warning" : "pending"}
          label={accountText.steps[step] ?? ""}
        />
      </Box>
      {tip}
    </Box>
  );
}

function Steps({ step, info }: { step: number; info: Info | undefined }) {
  const state = (reached: boolean) => (reached ? accountText.done : accountText.open);
  const legal = info?.legal ?? null;
  return (
    <>
      <div>{`${accountText.formStep}: ${state(step !== 0)}`}</div>
      {legal === null ? null : (
        <div>
          {accountText.acceptedBy(
            `${legal.firstName} ${legal.familyName}`,
            new Date(legal.dpaAcceptedAt).toLocaleDateString("en-GB"),
          )}
        </div>
      )}
      <div>{`${accountText.confirmStep}: ${state(step === 2)}`}</div>
    </>
  );
}
