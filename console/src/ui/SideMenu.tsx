// The left menu of a detail page: groups of entries, a column on the desk and a row on the phone.
import Box from "@mui/material/Box";
import { styled } from "@mui/material/styles";
import type { ReactNode } from "react";

/** Style of an entry; put it on a link and mark the current one with `aria-current="page"`. */
export const SideEntry = styled("a")(({ theme }) => ({
  display: "flex",
  alignItems: "center",
  gap: 8,
  minHeight: 32,
  padding: "0 8px",
  borderRadius: 6,
  color: theme.vars.palette.text.primary,
  textDecoration: "none",
  whiteSpace: "nowrap",
  "&:hover": { backgroundColor: theme.vars.palette.action.hover },
  "&[aria-current]": {
    backgroundColor: theme.vars.palette.action.selected,
    color: theme.vars.palette.primary.main,
    fontWeight: 600,
  },
  "&[aria-disabled='true']": { color: theme.vars.palette.text.disabled, cursor: "default" },
  "@media (pointer: coarse)": { minHeight: 44, padding: "0 12px" },
}));

type SideMenuProps = {
  label: string;
  groups: readonly { title: string; entries: readonly { key: string; content: ReactNode }[] }[];
};

export function SideMenu({ label, groups }: SideMenuProps) {
  return (
    <Box
      component="nav"
      aria-label={label}
      sx={{
        width: { xs: 1, md: 200 },
        flex: "none",
        display: "flex",
        flexDirection: { xs: "row", md: "column" },
        gap: 4,
        overflowX: "auto",
      }}
    >
      {groups.map((group) => (
        <Box key={group.title} sx={{ flex: "none" }}>
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
              whiteSpace: "nowrap",
              letterSpacing: "0.04em",
            }}
          >
            {group.title}
          </Box>
          <Box
            component="ul"
            sx={{
              listStyle: "none",
              m: 0,
              p: 0,
              display: "flex",
              flexDirection: { xs: "row", md: "column" },
              gap: "2px",
            }}
          >
            {group.entries.map((entry) => (
              <li key={entry.key}>{entry.content}</li>
            ))}
          </Box>
        </Box>
      ))}
    </Box>
  );
}
