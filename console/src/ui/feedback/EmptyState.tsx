// States without content: empty, no match, no permission, error, not found, offline. Each can offer a next step.
import BlockOutlined from "~icons/ic/outline-block";
import CloudOffOutlined from "~icons/ic/outline-cloud-off";
import ErrorOutlineRounded from "~icons/ic/round-error-outline";
import ExploreOffOutlined from "~icons/ic/outline-explore-off";
import InboxOutlined from "~icons/ic/outline-inbox";
import SearchOffOutlined from "~icons/ic/outline-search-off";
import { Box, Button, Stack, Typography } from "@mui/material";
import type { ReactNode } from "react";

const icons = {
  none: InboxOutlined,
  noMatch: SearchOffOutlined,
  denied: BlockOutlined,
  error: ErrorOutlineRounded,
  notFound: ExploreOffOutlined,
  offline: CloudOffOutlined,
} as const;

type EmptyStateProps = {
  kind: keyof typeof icons;
  title: string;
  text?: ReactNode;
  /** The next step; `href` makes it a link. */
  action?: { label: string; onClick?: () => void; href?: string };
  /** Id for a dialog labeled by the title. */
  titleId?: string;
};

export function EmptyState({ kind, title, text, action, titleId }: EmptyStateProps) {
  const Icon = icons[kind];
  const { label, ...next } = action ?? {};
  const loud = kind === "error" || kind === "offline";
  return (
    <Stack
      role={loud ? "alert" : "status"}
      sx={{ alignItems: "center", textAlign: "center", px: 6, py: 16, gap: 1, flex: 1 }}
    >
      <Box
        aria-hidden
        sx={{
          display: "grid",
          placeItems: "center",
          width: 44,
          height: 44,
          mb: 3,
          borderRadius: "10px",
          border: 1,
          borderColor: "divider",
          bgcolor: "background.paper",
          color: loud ? "error.main" : "text.secondary",
        }}
      >
        <Icon fontSize="small" />
      </Box>
      <Typography id={titleId} variant="h2" component="p">
        {title}
      </Typography>
      {text === undefined ? null : (
        <Box sx={{ color: "text.secondary", maxWidth: 420, overflowWrap: "anywhere" }}>{text}</Box>
      )}
      {label === undefined ? null : (
        <Button
          variant={kind === "none" ? "contained" : "outlined"}
          color={kind === "none" ? "primary" : "inherit"}
          sx={{ mt: 4 }}
          {...next}
        >
          {label}
        </Button>
      )}
    </Stack>
  );
}
