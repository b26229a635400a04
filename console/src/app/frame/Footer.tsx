// Footer with the operator, the legal pages (SH-08) and help.
import { Box, Link } from "@mui/material";
import { AppLink } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { useLastFailedRequestId } from "../../api/last-failure.ts";
import { operator, supportAddress } from "../../api/config.ts";
import { appText } from "../app.text.ts";

const year = new Date().getFullYear();
const footerLinks = [
  [paths.impressum, appText.imprint],
  [paths.privacy, appText.privacy],
  [paths.licenses, appText.licenses],
  [paths.status, appText.status],
] as const;

const footerLink = {
  minHeight: 24,
  display: "inline-flex",
  alignItems: "center",
  "@media (pointer: coarse)": { minHeight: 44 },
} as const;

/** Help is at the same place on every page, with or without login (WCAG 3.2.6). The link includes the last request id. */
function SupportLink() {
  const address = supportAddress(useLastFailedRequestId());
  return address === null ? null : (
    <Link href={address} target="_blank" rel="noreferrer" color="inherit" underline="hover" sx={footerLink}>
      {appText.support}
    </Link>
  );
}

export function Footer() {
  return (
    <Box
      component="footer"
      sx={{
        borderTop: 1,
        borderColor: "divider",
        px: { xs: 4, sm: 6 },
        py: 3,
        // Hidden while loading, to avoid layout shift.
        "body:has([data-page-loading]) &": { visibility: "hidden" },
        // Makes room for floating bars on phones.
        'body:has([data-floating], [data-batch-bar="floating"]) &': { pb: "calc(84px + env(safe-area-inset-bottom))" },
        display: "flex",
        flexWrap: "wrap",
        columnGap: 5,
        rowGap: 1,
        alignItems: "center",
        color: "text.secondary",
        fontSize: "0.75rem",
      }}
    >
      <Box component="span" sx={{ mr: "auto", flexBasis: { xs: "100%", sm: "auto" } }}>
        {appText.copyright(year, operator.name)}
      </Box>
      {footerLinks.map(([to, label]) => (
        <AppLink key={to} to={to} color="inherit" sx={footerLink}>
          {label}
        </AppLink>
      ))}
      <SupportLink />
    </Box>
  );
}
