// Tabs of an object's dialog; the open one is in the URL fragment (`#history`).
import { Box, Stack, Tab, Tabs } from "@mui/material";
import { type ReactNode, useId } from "react";
import { useUrlFragment } from "../../address/navigation.tsx";

export type DialogTab = { id: string; label: string; content: ReactNode };

const text = { tabs: "Sections of this page", general: "General" } as const;

type DialogTabsProps = {
  tabs: readonly DialogTab[];
  /** The form; stays mounted while another tab is shown, so that input is kept. */
  children: ReactNode;
};

export function DialogTabs({ tabs, children }: DialogTabsProps) {
  const id = useId();
  const [fragment, setFragment] = useUrlFragment();
  const current = tabs.find((tab) => tab.id === fragment);
  if (tabs.length === 0) return children;
  const idOf = (tab: string) => `${id}-${tab}`;
  return (
    <>
      <Tabs
        value={current?.id ?? ""}
        onChange={(_, next: string) => setFragment(next)}
        variant="scrollable"
        scrollButtons="auto"
        aria-label={text.tabs}
        sx={{ borderBottom: 1, borderColor: "divider", mt: -2, flex: "none" }}
      >
        {[{ id: "", label: text.general }, ...tabs].map((tab) => (
          <Tab
            key={tab.id}
            value={tab.id}
            label={tab.label}
            id={idOf(tab.id)}
            aria-controls={`${idOf(tab.id)}-panel`}
            sx={{ minWidth: 0, px: { xs: 1.5, sm: 4 } }}
          />
        ))}
      </Tabs>
      <Stack
        role="tabpanel"
        id={`${idOf("")}-panel`}
        aria-labelledby={idOf("")}
        hidden={current !== undefined}
        sx={{ gap: 4, ...(current !== undefined && { display: "none" }) }}
      >
        {children}
      </Stack>
      {current === undefined ? null : (
        <Box
          role="tabpanel"
          // Enter in another tab must not submit the form.
          onKeyDown={(event) => {
            if (event.key === "Enter" && event.target instanceof HTMLInputElement) event.preventDefault();
          }}
          id={`${idOf(current.id)}-panel`}
          aria-labelledby={idOf(current.id)}
        >
          {current.content}
        </Box>
      )}
    </>
  );
}
