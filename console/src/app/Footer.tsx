// The foot of every page: who runs this, and the legal pages (SH-08).
import Box from "@mui/material/Box";
import { operator } from "../config.ts";
import { AppLink } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { appText } from "./app.text.ts";

const year = new Date().getFullYear();

export function Footer() {
  const links = [
    [paths.impressum, appText.imprint],
    [paths.privacy, appText.privacy],
    [paths.licenses, appText.licenses],
  ] as const;
  return (
    <Box
      component="footer"
      sx={{
        borderTop: 1,
        borderColor: "divider",
        px: { xs: 4, sm: 6 },
        py: 3,
        // It would only be pushed away.
        "body:has([data-page-loading]) &": { visibility: "hidden" },
        // What floats over the end of the page on the phone covers nothing.
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
      {links.map(([to, label]) => (
        <AppLink
          key={to}
          to={to}
          color="inherit"
          sx={{
            minHeight: 24,
            display: "inline-flex",
            alignItems: "center",
            "@media (pointer: coarse)": { minHeight: 44 },
          }}
        >
          {label}
        </AppLink>
      ))}
    </Box>
  );
}
