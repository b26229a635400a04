// The public pages about law: imprint, privacy, licences and the two agreements, in their plain short form (spec 3 §2).
import Box from "@mui/material/Box";
import Link from "@mui/material/Link";
import Typography from "@mui/material/Typography";
import type { ReactNode } from "react";
import { config, operator } from "../config.ts";
import { AppLink, useLink, useParam } from "../navigation.tsx";
import { paths } from "../paths.ts";
import { EmptyState } from "../ui/EmptyState.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { agreementOn, agreementVersions, legalText } from "./legal.text.ts";

function LegalPage({ title, foot, children }: { title: string; foot?: string; children: ReactNode }) {
  return (
    <Box
      component="article"
      sx={{
        maxWidth: 720,
        "& h2": { fontSize: "1rem", lineHeight: "24px", fontWeight: 600, mt: 6, mb: 1 },
        "& p": { my: 2 },
        "& li": { my: 1 },
      }}
    >
      <PageHeader title={title} />
      {children}
      {foot === undefined ? null : <Typography sx={{ mt: 6, color: "text.secondary" }}>{foot}</Typography>}
    </Box>
  );
}

export function ImprintPage() {
  return (
    <LegalPage title={legalText.imprint}>
      <p>
        {operator.name}
        <br />
        {operator.street}
        <br />
        {operator.city}
      </p>
      <h2>Contact</h2>
      <p>
        E-mail:{" "}
        <Link underline="always" href={`mailto:${operator.email}`}>
          {operator.email}
        </Link>
        <br />
        Phone: {operator.phone}
      </p>
      <h2>Responsible for the content</h2>
      <p>{operator.name}, at the address above.</p>
    </LegalPage>
  );
}

export function PrivacyPage() {
  return (
    <LegalPage title={legalText.privacy} foot={legalText.version("2.00", "01.06.2024")}>
      <p>{operator.name} runs PS.Platform and is responsible for the processing of personal data on it.</p>
      <h2>What is processed</h2>
      <p>
        Of account holders: the name of the company, its address and phone number, first and family name of the person
        who registered, and the e-mail addresses used for signing in. Sensors send counts of people, never pictures or
        anything that identifies a person.
      </p>
      <h2>Why</h2>
      <p>
        To give access to the platform, to manage its users and their rights, and to send the mails that this needs.
      </p>
      <h2>Cookies</h2>
      <p>
        One cookie keeps you signed in. It is needed for the platform to work, and is removed when you log out. The
        browser also keeps your choice of theme and row height.
      </p>
      <h2>Server logs</h2>
      <p>Server logs are deleted after 30 days.</p>
      <h2>Your rights</h2>
      <p>
        You may ask for access to your data, for its correction, erasure, restriction and transfer, and you may object
        to its processing, for direct marketing at any time. Write to{" "}
        <Link underline="always" href={`mailto:${operator.email}`}>
          {operator.email}
        </Link>
        . You may also complain to a supervisory authority.
      </p>
      <h2>Security</h2>
      <p>
        Connections are encrypted with TLS where the platform is reached over https. Passwords are stored as salted
        hashes only.
      </p>
    </LegalPage>
  );
}

const libraries: readonly (readonly [name: string, license: string])[] = [
  ["Emotion", "MIT"],
  ["Inter", "SIL Open Font License 1.1"],
  ["JetBrains Mono", "SIL Open Font License 1.1"],
  ["Material UI and Material Icons", "MIT"],
  ["React", "MIT"],
  ["React Hook Form", "MIT"],
  ["TanStack Query, Router and Table", "MIT"],
  ["Zod", "MIT"],
];

export function LicensesPage() {
  return (
    <LegalPage title={legalText.licenses}>
      <p>This console is built with software and fonts of others, under these licenses:</p>
      <Box component="ul" sx={{ pl: 5 }}>
        {libraries.map(([name, license]) => (
          <li key={name}>
            {name}: {license}
          </li>
        ))}
      </Box>
      {config.links.notices === null ? null : (
        <p>
          The full texts:{" "}
          <Link underline="always" href={config.links.notices}>
            {legalText.notices}
          </Link>
        </p>
      )}
    </LegalPage>
  );
}

export function EulaPage() {
  return (
    <LegalPage title={legalText.eula} foot={legalText.version("2.00", "01.06.2024")}>
      <p>
        The rules for using PS.Platform, in short. The agreement itself is available from {operator.name} at{" "}
        <Link underline="always" href={`mailto:${operator.email}`}>
          {operator.email}
        </Link>
        .
      </p>
      <h2>Access</h2>
      <p>
        Access comes by a registration link sent by e-mail after a device is bought. The basic package is free of fees.
      </p>
      <h2>Data</h2>
      <p>
        There is no long-term storage; access to data in real time is guaranteed within 3 months of its first storage.
      </p>
      <h2>Ending</h2>
      <p>
        The provider may end the agreement with 30 days' notice to the end of a month; the licensee ends it by deleting
        the access account. A breach must be remedied within 7 days.
      </p>
      <h2>Liability and confidentiality</h2>
      <p>
        Liability is limited to the fees paid in the 12 months before. Confidentiality lasts for 5 years after the end.
      </p>
      <h2>Law</h2>
      <p>German law applies; the place of jurisdiction is Berlin.</p>
    </LegalPage>
  );
}

export function DpaPage() {
  const dateFrom = useParam("dateFrom") || undefined;
  const newest = useLink(paths.dataProcessing);
  const agreement = agreementOn(dateFrom);
  if (agreement === null) {
    return (
      <>
        <PageHeader title={legalText.dpa} />
        <EmptyState
          kind="notFound"
          title={legalText.notFound}
          text={legalText.notFoundText}
          action={{ label: "Newest agreement", href: newest.href }}
        />
      </>
    );
  }
  return (
    <LegalPage title={legalText.dpa} foot={legalText.version(agreement.version, agreement.published)}>
      <p>
        What is agreed between the client and {operator.name} as the service provider, in short. The agreement itself is
        available at{" "}
        <Link underline="always" href={`mailto:${operator.email}`}>
          {operator.email}
        </Link>
        .
      </p>
      <h2>Subject</h2>
      <p>
        Company details, first and last name and e-mail address of the platform's users are stored, retrieved and
        erased, for access to the platform and for managing rights on it. Processing is restricted to the EU and the
        EEA; a transfer to a third country needs prior written consent.
      </p>
      <h2>Subcontractors</h2>
      <p>A provider of cloud computing and a provider of hosted databases.</p>
      <h2>Controls and deletion</h2>
      <p>
        Controls on site are asked for in advance, generally at least two weeks ahead. The provider may delete the
        client's data within one month after the main contract ends.
      </p>
      <h2>Law</h2>
      <p>German law applies; the place of jurisdiction is Berlin.</p>
      <h2>Versions</h2>
      <Box component="ul" sx={{ pl: 5 }}>
        {agreementVersions.toReversed().map(({ from, version, published }) => (
          <li key={from}>
            <AppLink to={`${paths.dataProcessing}/${from}`}>{legalText.version(version, published)}</AppLink>
          </li>
        ))}
      </Box>
    </LegalPage>
  );
}
