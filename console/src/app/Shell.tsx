// The frame around every page: skip link, banner, header, content, footer; where the focus goes after a step; the window's title.
import CloudOffRounded from "@mui/icons-material/CloudOffRounded";
import { Box, Stack } from "@mui/material";
import { styled } from "@mui/material/styles";
import { Outlet, useMatches } from "@tanstack/react-router";
import { lazy, Suspense, useEffect } from "react";
import { loadPiece } from "../address/loadPiece.ts";
import { AppLink, useAreaTitle } from "../address/navigation.tsx";
import type { RouteNotes } from "../address/page-routes.ts";
import { paths } from "../address/paths.ts";
import { operator } from "../config.ts";
import { useSession } from "../session/session.tsx";
import { useToasts } from "../ui/feedback/Toasts.tsx";
import { appText } from "./app.text.ts";
import { Keyboard } from "./keyboard/Keyboard.tsx";
import { bannerHeight, headerHeight } from "./measures.ts";
import { useHeadingFocus } from "./useHeadingFocus.ts";

// The login screen needs none of it; with it the first load would be a fifth heavier.
const Header = lazy(async () => ({ default: (await loadPiece("Header", () => import("./Header.tsx"))).Header }));

/** What goes on in the background is shown where it can be; that it can't be shown takes no page away. */
const BegunBatches = lazy(() =>
  loadPiece("BegunBatches", () => import("../sensor/batch/BegunBatches.tsx")).then(
    (piece) => ({ default: piece.BegunBatches }),
    () => ({ default: () => null }),
  ),
);

export function Shell() {
  const matches = useMatches();
  const notes: RouteNotes[] = matches.map((match) => match.staticData);
  const page = matches.filter((match) => match.staticData.dialog !== true).at(-1);
  const noHeader = notes.some((note) => note.noHeader === true);
  const toasts = useToasts();
  const { state, live } = useSession();
  const lost = state.status === "signedIn" && live === "down";
  const signedOut = state.status === "signedOut";
  useAreaTitle(notes.findLast((note) => note.title !== undefined)?.title ?? "");
  useHeadingFocus(page?.id ?? "");
  useEffect(() => {
    if (signedOut) toasts.clear();
  }, [signedOut, toasts]);
  return (
    <Stack
      sx={{ flex: 1, minWidth: 0 }}
      style={
        { "--sticky-top": `${(noHeader ? 0 : headerHeight) + (lost ? bannerHeight : 0)}px` } as React.CSSProperties
      }
    >
      <SkipLink />
      <Box sx={{ position: "sticky", top: 0, zIndex: "appBar", "@media print": { position: "static" } }}>
        {lost ? <ConnectionBanner /> : null}
        {noHeader ? null : (
          <Suspense fallback={<HeaderPlace />}>
            <Header current={notes.findLast((note) => note.tab !== undefined)?.tab} />
          </Suspense>
        )}
      </Box>
      <Stack
        component="main"
        id="content"
        tabIndex={-1}
        sx={{ flex: 1, width: 1, maxWidth: 1440, mx: "auto", px: { xs: 4, sm: 6 }, pt: { xs: 4, sm: 5 }, pb: 8 }}
      >
        <Outlet />
      </Stack>
      <Footer />
      {state.status === "signedIn" && !noHeader ? (
        <>
          <Keyboard />
          <Suspense>
            <BegunBatches />
          </Suspense>
        </>
      ) : null}
    </Stack>
  );
}

/** Keeps the header's place while its code is on the way. */
function HeaderPlace() {
  return <Box sx={{ height: headerHeight, bgcolor: "background.paper", borderBottom: 1, borderColor: "divider" }} />;
}

const Skip = styled("a")(({ theme }) => ({
  position: "fixed",
  top: 8,
  left: 8,
  zIndex: theme.zIndex.tooltip,
  padding: "8px 12px",
  borderRadius: 6,
  backgroundColor: theme.vars.palette.primary.main,
  color: theme.vars.palette.primary.contrastText,
  fontWeight: 600,
  transform: "translateY(-200%)",
  "&:focus": { transform: "none" },
}));

/** The first thing the Tab key finds: past the header, straight to the content. */
function SkipLink() {
  return (
    <Skip
      href="#content"
      onClick={(event) => {
        event.preventDefault();
        document.getElementById("content")?.focus();
      }}
    >
      {appText.skip}
    </Skip>
  );
}

/** Says that the live connection is down, for as long as it is and somebody is signed in (SH-02). */
function ConnectionBanner() {
  return (
    <Box
      role="alert"
      sx={{
        display: "flex",
        alignItems: "center",
        justifyContent: "center",
        columnGap: 2,
        height: bannerHeight,
        px: 4,
        bgcolor: "#b80041",
        color: "#fff",
        textAlign: "center",
      }}
    >
      <CloudOffRounded aria-hidden sx={{ fontSize: 18 }} />
      <Box component="strong" sx={{ fontWeight: 600 }}>
        {appText.connectionLost}
      </Box>
      <Box component="span" sx={{ display: { xs: "none", sm: "inline" } }}>
        {appText.connectionLostMore}
      </Box>
    </Box>
  );
}

const year = new Date().getFullYear();
const legalLinks = [
  [paths.impressum, appText.imprint],
  [paths.privacy, appText.privacy],
  [paths.licenses, appText.licenses],
] as const;

/** Who runs this, and the legal pages (SH-08). */
function Footer() {
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
      {legalLinks.map(([to, label]) => (
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
