// Public legal pages: imprint, privacy policy, licenses and agreements (LE-01).
import {
  type Agreement,
  findAgreement,
  agreements,
  endUserLicense,
  type LegalVersion,
  newestAgreement,
  privacyPolicy,
  formatPublicationDate,
} from "@psp/contract/legal/agreements.ts";
import { Box } from "@mui/material";
import { AppLink, useLink, useParam } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { standaloneLinkStyles } from "../ui/theme/targets.ts";
import { EmptyState } from "../ui/feedback/EmptyState.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { LegalDocument } from "./LegalDocument.tsx";
import agreement20200325 from "./data-processing-agreement-2020-03-25.md";
import agreement20200603 from "./data-processing-agreement-2020-06-03.md";
import agreement20200820 from "./data-processing-agreement-2020-08-20.md";
import agreement20240601 from "./data-processing-agreement-2024-06-01.md";
import endUserLicenseSource from "./end-user-license-agreement.md";
import imprintSource from "./imprint.md";
import { legalText } from "./legal.text.ts";
import type { Block } from "./markdown.ts";
import licensesSource from "./licenses.md";
import privacySource from "./privacy.md";

const agreementSources: Record<Agreement["date"], readonly Block[]> = {
  "2020-03-25": agreement20200325,
  "2020-06-03": agreement20200603,
  "2020-08-20": agreement20200820,
  "2024-06-01": agreement20240601,
};

const footOf = (document: LegalVersion) => legalText.version(document.version, formatPublicationDate(document));

export function ImprintPage() {
  return <LegalDocument title={legalText.imprint} blocks={imprintSource} />;
}

export function PrivacyPage() {
  return <LegalDocument title={legalText.privacy} blocks={privacySource} contents foot={footOf(privacyPolicy)} />;
}

export function LicensesPage() {
  return <LegalDocument title={legalText.licenses} blocks={licensesSource} />;
}

export function EulaPage() {
  return <LegalDocument title={legalText.eula} blocks={endUserLicenseSource} contents foot={footOf(endUserLicense)} />;
}

/** The agreement in force on the date in the URL; without a date, the newest one. */
export function DpaPage() {
  const date = useParam("dateFrom");
  const agreement = date === "" ? newestAgreement : findAgreement(date);
  const newest = useLink(paths.dataProcessing);
  if (agreement === null) {
    return (
      <>
        <PageHeader title={legalText.dpa} />
        <EmptyState
          kind="notFound"
          title={legalText.notFound}
          text={legalText.notFoundText}
          action={{ label: legalText.toNewest, href: newest.href }}
        />
      </>
    );
  }
  const isNewest = agreement.version === newestAgreement.version;
  return (
    <LegalDocument
      title={legalText.dpa}
      blocks={agreementSources[agreement.date]}
      contents
      note={
        isNewest ? null : (
          <p>
            {legalText.outdated(newestAgreement.version)}{" "}
            <AppLink underline="always" to={paths.dataProcessing}>
              {legalText.newest}
            </AppLink>
          </p>
        )
      }
      after={<Versions />}
      foot={footOf(agreement)}
    />
  );
}

function Versions() {
  return (
    <Box component="nav" aria-labelledby="versions" sx={{ "@media print": { display: "none" } }}>
      <h2 id="versions">{legalText.versions}</h2>
      <ul>
        {agreements.toReversed().map((agreement) => (
          <li key={agreement.date}>
            <AppLink underline="always" to={paths.dataProcessingOn(agreement.date)} sx={standaloneLinkStyles}>
              {footOf(agreement)}
            </AppLink>
          </li>
        ))}
      </ul>
    </Box>
  );
}
