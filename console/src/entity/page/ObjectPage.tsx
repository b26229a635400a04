// Frame of object pages: header, side menu and selected page.
import { Box, Stack, Typography } from "@mui/material";
import { styled } from "@mui/material/styles";
import { Outlet } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { AppLink, useLink } from "../../address/navigation.tsx";
import { CallError } from "../../api/call.ts";
import { failureText } from "../../api/useFailure.ts";
import { standaloneLinkStyles } from "../../ui/theme/targets.ts";
import { Disabled } from "../../ui/feedback/Disabled.tsx";
import { EmptyState } from "../../ui/feedback/EmptyState.tsx";
import { NavEntry } from "../../ui/NavEntry.ts";
import { PageHeader } from "../../ui/PageHeader.tsx";

type MenuEntry = {
  label: string;
  path: string;
  current: boolean;
  reason?: string | undefined;
};

type ObjectPageProps = {
  list: { title: string; path: string };
  heading: ReactNode;
  state?: ReactNode;
  facts: readonly (readonly [label: string, value: ReactNode])[];
  name: string;
  /** Buttons at the end of the header. */
  actions?: ReactNode;
  /** Groups without entries are omitted. A group without a title comes first. */
  menu: readonly { title?: string; entries: readonly MenuEntry[] }[];
  children?: ReactNode;
};

const headRow = { display: "flex", flexWrap: "wrap", columnGap: 6, rowGap: 2 };

export function ObjectPage({ list, heading, state, facts, name, actions, menu, children }: ObjectPageProps) {
  return (
    <>
      <Stack component="header" sx={{ mb: 6, gap: 2 }}>
        <AppLink
          to={list.path}
          data-screen-only=""
          sx={{ ...standaloneLinkStyles, alignSelf: "flex-start", color: "text.secondary" }}
        >
          {list.title}
        </AppLink>
        <Box sx={{ ...headRow, alignItems: state === undefined ? "baseline" : "center" }}>
          <Typography variant="h1" tabIndex={-1} sx={{ overflowWrap: "anywhere" }}>
            {heading}
          </Typography>
          {state}
          <Facts>
            {facts.map(([label, value]) => (
              <div key={label}>
                <dt>{label}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </Facts>
          {actions === undefined ? null : <Box sx={{ ml: { sm: "auto" } }}>{actions}</Box>}
        </Box>
      </Stack>
      <Box
        sx={{
          display: "flex",
          flexDirection: { xs: "column", md: "row" },
          gap: { xs: 6, md: 4, lg: 6 },
          alignItems: "flex-start",
          flex: 1,
        }}
      >
        <SideMenu label={name} menu={menu} />
        <Box sx={{ flex: 1, minWidth: 0, width: 1 }}>{children ?? <Outlet />}</Box>
      </Box>
    </>
  );
}

const Facts = styled("dl")(({ theme }) => ({
  margin: 0,
  display: "flex",
  flexWrap: "wrap",
  gap: theme.spacing(1, 6),
  "& > div": { display: "flex", gap: theme.spacing(2) },
  "& dt": { color: theme.vars.palette.text.secondary },
  "& dd": { margin: 0 },
}));

/** A column on wide screens, rows on phones. */
function SideMenu({ label, menu }: { label: string; menu: ObjectPageProps["menu"] }) {
  const groups = menu.filter(({ entries }) => entries.length > 0);
  return (
    <Box
      component="nav"
      aria-label={label}
      sx={{
        width: { xs: 1, md: 176, lg: 200 },
        flex: "none",
        display: "flex",
        flexDirection: { xs: "row", md: "column" },
        flexWrap: { xs: "wrap", md: "nowrap" },
        gap: { xs: 2, md: 4 },
      }}
    >
      {groups.map((group) => (
        <Box key={group.title ?? ""} sx={{ flex: "none", maxWidth: 1, alignSelf: { xs: "flex-end", md: "auto" } }}>
          {group.title === undefined ? null : (
            <Box
              component="h2"
              sx={{
                m: 0,
                mb: 1,
                px: 2,
                fontSize: "0.75rem",
                lineHeight: "16px",
                fontWeight: 600,
                color: "text.secondary",
                letterSpacing: "0.04em",
              }}
            >
              {group.title}
            </Box>
          )}
          <Box
            component="ul"
            sx={{
              listStyle: "none",
              m: 0,
              p: 0,
              display: "flex",
              flexDirection: { xs: "row", md: "column" },
              flexWrap: { xs: "wrap", md: "nowrap" },
              gap: "2px",
            }}
          >
            {group.entries.map((entry) => (
              <li key={entry.label}>
                <Entry {...entry} />
              </li>
            ))}
          </Box>
        </Box>
      ))}
    </Box>
  );
}

const SideEntry = styled(NavEntry)({ display: "flex" });

function Entry({ label, path, current, reason }: MenuEntry) {
  const link = useLink(path);
  if (reason !== undefined)
    return (
      <Disabled reason={reason}>
        <SideEntry role="link" tabIndex={0}>
          {label}
        </SideEntry>
      </Disabled>
    );
  return (
    <SideEntry {...link} {...(current ? { "aria-current": "page" as const } : {})}>
      {label}
    </SideEntry>
  );
}

type ObjectLoadErrorProps = {
  error: Error;
  text: { notFound: string; notFoundText: string; oneFailed: string; toList: string };
  list: string;
  /** HTTP statuses that mean the object doesn't exist. */
  missing?: readonly number[];
};

const notFound = [404];

export function ObjectLoadError({ error, text, list, missing = notFound }: ObjectLoadErrorProps) {
  const { href } = useLink(list);
  const isMissing = error instanceof CallError && missing.includes(error.status);
  return (
    <>
      <PageHeader title={isMissing ? text.notFound : text.oneFailed} />
      <EmptyState
        kind={isMissing ? "notFound" : "error"}
        title={isMissing ? text.notFoundText : text.oneFailed}
        {...(isMissing ? {} : { text: failureText(error) })}
        action={{ label: text.toList, href }}
      />
    </>
  );
}
