// The frame around every page: banner, header, content, footer; where the focus goes after a step; what the window is called.
import Box from "@mui/material/Box";
import { Outlet, useMatches } from "@tanstack/react-router";
import { lazy, Suspense, useEffect } from "react";
import type { RouteNotes } from "../address/page-routes.ts";
import { useAreaTitle } from "../address/navigation.tsx";
import { useSession } from "../session/session.tsx";
import { useToasts } from "../ui/feedback/Toasts.tsx";
import { ConnectionBanner, useConnectionLost } from "./ConnectionBanner.tsx";
import { Footer } from "./Footer.tsx";
import { Keyboard } from "./keyboard/Keyboard.tsx";
import { SkipLink } from "./SkipLink.tsx";
import { loadPiece } from "../address/loadPiece.ts";
import { bannerHeight, headerHeight } from "./measures.ts";
import { useHeadingFocus } from "./useHeadingFocus.ts";

// The login screen needs none of it; with it the first load would be a fifth heavier.
const Header = lazy(async () => ({ default: (await loadPiece("Header", () => import("./Header.tsx"))).Header }));

/** What goes on in the background is told where it can be; that it can't be told takes no page away. */
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
  const lost = useConnectionLost();
  const toasts = useToasts();
  const { state } = useSession();
  const signedOut = state.status === "signedOut";
  useAreaTitle(notes.findLast((note) => note.title !== undefined)?.title ?? "");
  useHeadingFocus(page?.id ?? "");
  useEffect(() => {
    if (signedOut) toasts.clear();
  }, [signedOut, toasts]);
  return (
    <Box
      sx={{ display: "flex", flexDirection: "column", flex: 1, minWidth: 0 }}
      style={
        { "--sticky-top": `${(noHeader ? 0 : headerHeight) + (lost ? bannerHeight : 0)}px` } as React.CSSProperties
      }
    >
      <SkipLink />
      <Box sx={{ position: "sticky", top: 0, zIndex: "appBar", "@media print": { position: "static" } }}>
        <ConnectionBanner />
        {noHeader ? null : (
          <Suspense fallback={<HeaderPlace />}>
            <Header current={notes.findLast((note) => note.tab !== undefined)?.tab} />
          </Suspense>
        )}
      </Box>
      <Box
        component="main"
        id="content"
        tabIndex={-1}
        sx={{
          flex: 1,
          display: "flex",
          flexDirection: "column",
          width: 1,
          maxWidth: 1440,
          mx: "auto",
          px: { xs: 4, sm: 6 },
          pt: { xs: 4, sm: 5 },
          pb: 8,
        }}
      >
        <Outlet />
      </Box>
      <Footer />
      {state.status === "signedIn" && !noHeader ? (
        <>
          <Keyboard />
          <Suspense>
            <BegunBatches />
          </Suspense>
        </>
      ) : null}
    </Box>
  );
}

/** Keeps the header's place while its code is on the way. */
function HeaderPlace() {
  return <Box sx={{ height: headerHeight, bgcolor: "background.paper", borderBottom: 1, borderColor: "divider" }} />;
}
