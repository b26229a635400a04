// The frame of an object's pages: who it is and how it is at the top, the menu at the left, the chosen page beside it.
import Box from "@mui/material/Box";
import Typography from "@mui/material/Typography";
import { Outlet } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { AppLink, useLink } from "../../address/navigation.tsx";
import { CallError } from "../../api/call.ts";
import { failureText } from "../../api/useFailure.ts";
import { Disabled } from "../../ui/feedback/Disabled.tsx";
import { EmptyState } from "../../ui/feedback/EmptyState.tsx";
import { PageHeader } from "../../ui/PageHeader.tsx";
import { SideEntry, SideMenu } from "../../ui/SideMenu.tsx";

type MenuEntry = {
  label: string;
  path: string;
  current: boolean;
  /** Why it is off. */
  reason?: string | undefined;
};

type ObjectPageProps = {
  /** The list that it belongs to. */
  list: { title: string; path: string };
  heading: ReactNode;
  /** Beside the heading. */
  state?: ReactNode;
  facts: readonly (readonly [label: string, value: ReactNode])[];
  /** Names the menu. */
  name: string;
  /** Those without entries are left out. */
  menu: readonly { title: string; entries: readonly MenuEntry[] }[];
};

export function ObjectPage({ list, heading, state, facts, name, menu }: ObjectPageProps) {
  const groups = menu
    .filter(({ entries }) => entries.length > 0)
    .map(({ title, entries }) => ({
      title,
      entries: entries.map((entry) => ({ key: entry.label, content: <Entry {...entry} /> })),
    }));
  return (
    <>
      <Box component="header" sx={{ mb: 6, display: "flex", flexDirection: "column", gap: 2 }}>
        <AppLink to={list.path} sx={{ alignSelf: "flex-start", color: "text.secondary" }}>
          {list.title}
        </AppLink>
        <Box
          sx={{
            display: "flex",
            flexWrap: "wrap",
            alignItems: state === undefined ? "baseline" : "center",
            columnGap: 6,
            rowGap: 2,
          }}
        >
          <Typography variant="h1" tabIndex={-1} sx={{ overflowWrap: "anywhere" }}>
            {heading}
          </Typography>
          {state}
          <Box component="dl" sx={{ m: 0, display: "flex", flexWrap: "wrap", columnGap: 6, rowGap: 1 }}>
            {facts.map(([label, value]) => (
              <Box key={label} sx={{ display: "flex", gap: 2 }}>
                <Box component="dt" sx={{ color: "text.secondary" }}>
                  {label}
                </Box>
                <Box component="dd" sx={{ m: 0 }}>
                  {value}
                </Box>
              </Box>
            ))}
          </Box>
        </Box>
      </Box>
      <Box
        sx={{ display: "flex", flexDirection: { xs: "column", md: "row" }, gap: 6, alignItems: "flex-start", flex: 1 }}
      >
        <SideMenu label={name} groups={groups} />
        <Box sx={{ flex: 1, minWidth: 0, width: 1 }}>
          <Outlet />
        </Box>
      </Box>
    </>
  );
}

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

type MissingObjectProps = {
  error: Error;
  text: { notFound: string; notFoundText: string; oneFailed: string; toList: string };
  /** Path of the list. */
  list: string;
  /** Statuses that say that there is no such object. */
  missing?: readonly number[];
};

const notFound = [404];

/** What is shown instead of an object that isn't there, or can't be asked for. */
export function MissingObject({ error, text, list, missing = notFound }: MissingObjectProps) {
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
