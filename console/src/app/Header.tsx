// Header of every page (docs/rules/console.md#header).
import { canViewType } from "@psp/contract/permission/can.ts";
import CloseRounded from "~icons/ic/round-close";
import MenuRounded from "~icons/ic/round-menu";
import OpenInNewRounded from "~icons/ic/round-open-in-new";
import { Box, Button, IconButton, Stack, useMediaQuery } from "@mui/material";
import { styled } from "@mui/material/styles";
import { useMemo, useState } from "react";
import { useLink, usePath } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { useLastFailedRequestId } from "../api/last-failure.ts";
import { supportAddress } from "../api/config.ts";
import { useActor, useSession } from "../api/session/session.tsx";
import { useMayCreate } from "../api/session/useCan.ts";
import { useHasMonitoringLicense } from "../api/session/useHasMonitoringLicense.ts";
import { Disabled } from "../ui/feedback/Disabled.tsx";
import { useEscapeKey } from "../ui/feedback/Tip.tsx";
import { AccountMenu } from "./menus/AccountMenu.tsx";
import { IssuesLink } from "./IssuesLink.tsx";
import { SearchButton } from "./SearchButton.tsx";
import { AppsDrawer } from "./menus/AppsDrawer.tsx";
import { Logo } from "../ui/Logo.tsx";
import { visuallyHidden } from "../ui/visuallyHidden.ts";
import { appText } from "./app.text.ts";
import { headerHeight } from "./measures.ts";
import { homePath, type Tab, type TabId, tabsOf } from "./tabs.ts";

/** Minimum width (px) at which all eight tabs fit. */
const tabsFit = "(min-width: 1080px)";

const TabLink = styled("a")(({ theme }) => ({
  display: "inline-flex",
  alignItems: "center",
  gap: 4,
  position: "relative",
  padding: "0 10px",
  minHeight: 32,
  borderRadius: 6,
  color: theme.vars.palette.text.secondary,
  textDecoration: "none",
  fontWeight: 600,
  whiteSpace: "nowrap",
  "&:hover": { color: theme.vars.palette.text.primary, backgroundColor: theme.vars.palette.action.hover },
  "&[aria-current]": { color: theme.vars.palette.primary.main },
  "&[aria-disabled]": { cursor: "not-allowed", color: theme.vars.palette.text.secondary, opacity: 0.72 },
  "& svg": { fontSize: 14 },
}));

export function Header({ current, onSearch }: { current: TabId | undefined; onSearch: () => void }) {
  const { state } = useSession();
  return (
    <Box
      component="header"
      sx={{
        bgcolor: "background.paper",
        borderBottom: 1,
        borderColor: "divider",
        "@media print": { display: "none" },
      }}
    >
      {state.status === "signedIn" ? (
        <SignedInBar current={current} onSearch={onSearch} />
      ) : (
        <SignedOutBar known={state.status === "signedOut"} />
      )}
    </Box>
  );
}

const bar = {
  display: "flex",
  alignItems: "center",
  gap: { xs: 0, sm: 2 },
  height: headerHeight - 1,
  px: { xs: 2, sm: 4 },
} as const;

/** Until it is `known` that no one is signed in, reserves the menu's place to avoid layout shift. */
function SignedOutBar({ known }: { known: boolean }) {
  const login = useLink(paths.login, "none");
  const wide = useMediaQuery(tabsFit, { noSsr: true });
  return (
    <Box sx={bar}>
      {known || wide ? null : (
        <IconButton aria-hidden tabIndex={-1} sx={{ visibility: "hidden" }}>
          <MenuRounded />
        </IconButton>
      )}
      <AppsDrawer />
      <AppName path={paths.root} />
      {known ? (
        <Button variant="contained" sx={{ ml: "auto" }} {...login}>
          {appText.login}
        </Button>
      ) : null}
    </Box>
  );
}

function SignedInBar({ current, onSearch }: { current: TabId | undefined; onSearch: () => void }) {
  const tabs = useTabs();
  const wide = useMediaQuery(tabsFit, { noSsr: true });
  const actor = useActor();
  const path = usePath();
  // Path on which the menu was opened. A navigation to another path closes the menu.
  const [openOn, setOpenOn] = useState<string | null>(null);
  const open = openOn === path && !wide;
  const setOpen = (on: boolean) => setOpenOn(on ? path : null);
  useEscapeKey(open, () => setOpenOn(null));
  return (
    <>
      <Box sx={bar}>
        {wide ? null : (
          <IconButton
            aria-label={appText.menu}
            aria-expanded={open}
            aria-controls="main-menu"
            onClick={() => setOpen(!open)}
          >
            {open ? <CloseRounded /> : <MenuRounded />}
          </IconButton>
        )}
        <AppsDrawer />
        <AppName path={homePath(actor)} />
        {wide ? (
          <Box component="nav" aria-label="Main" sx={{ display: "flex", ml: 3, gap: "2px" }}>
            {tabs.map((tab) => (
              <Entry key={tab.id} tab={tab} current={tab.id === current} />
            ))}
          </Box>
        ) : null}
        <Box sx={{ ml: "auto", display: "flex", alignItems: "center", gap: { xs: 0, sm: 2 }, minWidth: 0 }}>
          <SearchButton onOpen={onSearch} />
          {canViewType(actor, "sensor") ? <IssuesLink /> : null}
          <AccountMenu />
        </Box>
      </Box>
      {open ? (
        <Stack
          id="main-menu"
          component="nav"
          aria-label="Main"
          onClick={(event) => {
            if ((event.target as HTMLElement).closest("a[href]") !== null) setOpen(false);
          }}
          sx={{
            position: "absolute",
            left: 0,
            right: 0,
            maxHeight: `calc(100dvh - ${headerHeight}px)`,
            overflow: "auto",
            p: 2,
            bgcolor: "background.paper",
            borderBottom: 1,
            borderColor: "divider",
            boxShadow: "0 12px 24px rgb(6 20 18 / 0.12)",
            "& a": { minHeight: 44 },
          }}
        >
          {tabs.map((tab) => (
            <Entry key={tab.id} tab={tab} current={tab.id === current} />
          ))}
        </Stack>
      ) : null}
    </>
  );
}

export function useTabs(): Tab[] {
  const actor = useActor();
  // While unknown the tab is shown as available: graying it out temporarily would flicker.
  const hasLicense = useHasMonitoringLicense() !== false;
  const mayCreateToken = useMayCreate("sensor") === true;
  return useMemo(() => tabsOf(actor, { hasLicense, mayCreateToken }), [actor, hasLicense, mayCreateToken]);
}

/** Very narrow screens show only the logo; the name stays accessible. */
const Name = styled("span")({ "@media (max-width: 343.95px)": visuallyHidden });

function AppName({ path }: { path: string }) {
  return (
    <TabLink
      {...useLink(path, "dropList")}
      sx={{ px: 1, gap: 2, fontSize: "1rem", color: "text.primary", "&:hover": { bgcolor: "transparent" } }}
    >
      <Logo />
      <Name>{appText.name}</Name>
    </TabLink>
  );
}

function Entry({ tab, current }: { tab: Tab; current: boolean }) {
  const link = useLink(tab.href, "dropList");
  const failed = useLastFailedRequestId();
  if (tab.external === true)
    return (
      <TabLink href={supportAddress(failed, tab.href) ?? tab.href} target="_blank" rel="noreferrer">
        {tab.label}
        <OpenInNewRounded aria-hidden />
      </TabLink>
    );
  if (tab.disabledReason !== undefined)
    return (
      <Disabled reason={tab.disabledReason}>
        <TabLink role="link" tabIndex={0}>
          {tab.label}
        </TabLink>
      </Disabled>
    );
  return (
    <TabLink {...link} {...(current ? { "aria-current": "page" as const } : {})}>
      {tab.label}
    </TabLink>
  );
}
