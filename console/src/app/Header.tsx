// Header of every page (docs/rules/console.md#header).
import { canViewType } from "@psp/contract/permission/can.ts";
import CloseRounded from "~icons/ic/round-close";
import MenuRounded from "~icons/ic/round-menu";
import OpenInNewRounded from "~icons/ic/round-open-in-new";
import { Box, Button, IconButton, Stack, useMediaQuery } from "@mui/material";
import { styled } from "@mui/material/styles";
import { useMemo, useState } from "react";
import { useHistoryIndex, useLink } from "../address/navigation.tsx";
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

const bar = {
  display: "flex",
  alignItems: "center",
  gap: { xs: 0, sm: 2 },
  height: headerHeight - 1,
  px: { xs: 2, sm: 4 },
} as const;

export function Header({ current, onSearch }: { current: TabId | undefined; onSearch: () => void }) {
  const { state } = useSession();
  const wide = useMediaQuery(tabsFit, { noSsr: true });
  const page = useHistoryIndex();
  // Page on which the menu was opened. A navigation closes the menu, a redirect does not.
  const [openOn, setOpenOn] = useState<number | null>(null);
  const isSignedIn = state.status === "signedIn";
  const open = isSignedIn && openOn === page && !wide;
  const close = () => setOpenOn(null);
  useEscapeKey(open, close);
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
      <Box sx={bar}>
        {wide || state.status === "signedOut" ? null : (
          <MenuToggle usable={isSignedIn} open={open} onToggle={() => setOpenOn(open ? null : page)} />
        )}
        {/* Not replaced when the session has loaded, because a press in between would be lost. */}
        <AppsDrawer />
        <AppName path={isSignedIn ? homePath(state.actor) : paths.root} />
        {isSignedIn ? <SignedInParts current={current} wide={wide} onSearch={onSearch} /> : null}
        {state.status === "signedOut" ? <LoginButton /> : null}
      </Box>
      {isSignedIn && !wide ? <PhoneMenu current={current} open={open} onClose={close} /> : null}
    </Box>
  );
}

function LoginButton() {
  return (
    <Button variant="contained" sx={{ ml: "auto" }} {...useLink(paths.login, "none")}>
      {appText.login}
    </Button>
  );
}

/** Until it is `usable`, reserves its place to avoid layout shift. */
function MenuToggle({ usable, open, onToggle }: { usable: boolean; open: boolean; onToggle: () => void }) {
  if (!usable)
    return (
      <IconButton aria-hidden tabIndex={-1} sx={{ visibility: "hidden" }}>
        <MenuRounded />
      </IconButton>
    );
  return (
    <IconButton aria-label={appText.menu} aria-expanded={open} aria-controls="main-menu" onClick={onToggle}>
      {open ? <CloseRounded /> : <MenuRounded />}
    </IconButton>
  );
}

type PartsProps = { current: TabId | undefined; wide: boolean; onSearch: () => void };

function SignedInParts({ current, wide, onSearch }: PartsProps) {
  const tabs = useTabs();
  const actor = useActor();
  return (
    <>
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
    </>
  );
}

type PhoneMenuProps = { current: TabId | undefined; open: boolean; onClose: () => void };

function PhoneMenu({ current, open, onClose }: PhoneMenuProps) {
  const tabs = useTabs();
  if (!open) return null;
  return (
    <Stack
      id="main-menu"
      component="nav"
      aria-label="Main"
      onClick={(event) => {
        if ((event.target as HTMLElement).closest("a[href]") !== null) onClose();
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
