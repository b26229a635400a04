// Frame of every page, which also manages the focus and the document title.
import { Box, Stack } from "@mui/material";
import { styled } from "@mui/material/styles";
import { Outlet, useMatches } from "@tanstack/react-router";
import { Suspense, useEffect, useState } from "react";
import { lazyComponent } from "../address/lazyPage.ts";
import { useAreaTitle } from "../address/navigation.tsx";
import type { RouteMetadata } from "../address/page-routes.ts";
import { config } from "../api/config.ts";
import { SensorViewContext } from "../monitoring/detail/sensor-view.ts";
import { useSession } from "../api/session/session.tsx";
import { useConnectionLostAt } from "../api/session/useConnectionLostAt.ts";
import { staleValueStyles } from "../ui/feedback/LiveValue.tsx";
import { useToasts } from "../ui/feedback/Toasts.tsx";
import { appText } from "./app.text.ts";
import { ConnectionBanner } from "./frame/ConnectionBanner.tsx";
import { Footer } from "./frame/Footer.tsx";
import { useShortcuts } from "./keyboard/useShortcuts.ts";
import { bannerHeight, headerHeight } from "./measures.ts";
import { useHeadingFocus } from "./useHeadingFocus.ts";

// Lazy, because the login page doesn't need it and it would add a fifth to the first load.
const Header = lazyComponent("Header", () => import("./Header.tsx"));
const Keyboard = lazyComponent("Keyboard", () => import("./keyboard/Keyboard.tsx"));

const nothing = () => null;
/** If it fails to load, the page works without it. */
const RunningBatches = lazyComponent("RunningBatches", () => import("../sensor/batch/RunningBatches.tsx"), nothing);
const DemoProgress = lazyComponent("DemoProgress", () => import("./DemoProgress.tsx"), nothing);
/** Issues remain readable without the picture. */
const SensorView = lazyComponent("SensorView", () => import("../sensor/remote/SensorView.tsx"), nothing);
/** If it fails to load, the next save tries again. */
const SessionEndedDialog = lazyComponent("SessionEndedDialog", () => import("../auth/SessionEndedDialog.tsx"), NoLogin);
const ConfigurationWarnings = lazyComponent("ConfigurationWarnings", () => import("./ConfigurationWarnings.tsx"));

const sensorView = (id: string) => (
  <Suspense>
    <SensorView id={id} />
  </Suspense>
);

function NoLogin(): React.JSX.Element {
  const { dismissLogin } = useSession();
  useEffect(dismissLogin, [dismissLogin]);
  return <></>;
}

export function Shell() {
  const matches = useMatches();
  const notes: RouteMetadata[] = matches.map((match) => match.staticData);
  const page = matches.filter((match) => match.staticData.dialog !== true).at(-1);
  const noHeader = notes.some((note) => note.noHeader === true);
  const toasts = useToasts();
  const { state, isLoginAsked } = useSession();
  const lostAt = useConnectionLostAt();
  const shortcuts = useShortcuts(state.status === "signedIn" && !noHeader);
  const asOf = lostAt === null ? null : clock.format(lostAt);
  const signedOut = state.status === "signedOut";
  const isAtRest = useAtRest();
  useAreaTitle(notes.findLast((note) => note.title !== undefined)?.title ?? "");
  useHeadingFocus(page?.id ?? "");
  useEffect(() => {
    if (signedOut) toasts.clear();
  }, [signedOut, toasts]);
  if (notes.some((note) => note.bare === true)) return <BarePage />;
  return (
    <Stack
      sx={{ flex: 1, minWidth: 0 }}
      style={
        {
          "--sticky-top": `${(noHeader ? 0 : headerHeight) + (asOf === null ? 0 : bannerHeight)}px`,
        } as React.CSSProperties
      }
    >
      <SkipLink />
      <Box sx={{ position: "sticky", top: 0, zIndex: "appBar", "@media print": { position: "static" } }}>
        {asOf === null ? null : <ConnectionBanner asOf={asOf} />}
        {noHeader ? null : (
          <Suspense fallback={<HeaderPlace />}>
            <Header
              current={notes.findLast((note) => note.tab !== undefined)?.tab}
              onSearch={() => shortcuts.setOpen("palette")}
            />
          </Suspense>
        )}
      </Box>
      {config.demo && state.status === "signedIn" && !noHeader && isAtRest ? (
        <Suspense>
          <DemoProgress />
        </Suspense>
      ) : null}
      {state.status === "signedIn" && state.user.configurationWarnings && !noHeader ? (
        <Suspense>
          <ConfigurationWarnings sentences={state.user.configurationWarnings} />
        </Suspense>
      ) : null}
      <Stack
        component="main"
        id="content"
        tabIndex={-1}
        {...(asOf === null ? {} : { "data-stale": "", style: staleStyle(asOf) })}
        sx={{
          ...staleValueStyles,
          flex: 1,
          width: 1,
          maxWidth: 1440,
          "&:has([data-wide])": { maxWidth: 2560 },
          mx: "auto",
          px: { xs: 4, sm: 6 },
          pt: { xs: 4, sm: 5 },
          pb: 8,
        }}
      >
        <SensorViewContext value={sensorView}>
          <Outlet />
        </SensorViewContext>
      </Stack>
      <Footer />
      {isLoginAsked ? (
        <Suspense>
          <SessionEndedDialog />
        </Suspense>
      ) : null}
      {state.status === "signedIn" && !noHeader ? (
        <>
          <Suspense>
            <Keyboard {...shortcuts} />
          </Suspense>
          {/* A separate Suspense, so that loading it doesn't hide the page. */}
          <Suspense>{isAtRest ? <RunningBatches /> : null}</Suspense>
        </>
      ) : null}
    </Stack>
  );
}

const BarePage = () => (
  <Stack component="main" id="content" tabIndex={-1} sx={{ flex: 1, minWidth: 0 }}>
    <Outlet />
  </Stack>
);

/** Delay for non-essential requests, so that they don't compete with the first page. */
const restMs = 1000;

function useAtRest(): boolean {
  const [isAtRest, setAtRest] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setAtRest(true), restMs);
    return () => clearTimeout(timer);
  }, []);
  return isAtRest;
}

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

const staleStyle = (asOf: string) => ({ "--as-of": `"${appText.asOf(asOf)}"` }) as React.CSSProperties;

/** Reserves the header's height while its chunk loads. */
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
