// Search button that looks like a field on wide screens and shows its shortcut.
import SearchRounded from "~icons/ic/round-search";
import { Box, ButtonBase, IconButton, useMediaQuery } from "@mui/material";
import { Tip } from "../ui/feedback/Tip.tsx";
import { searchText } from "./keyboard/search.text.ts";

/** Minimum width (px) at which a field fits next to all tabs. */
const fieldFits = "(min-width: 1280px)";
const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);
const keys = searchText.keys(isMac);
const shortcuts = "Control+K Meta+K";

export function SearchButton({ onOpen }: { onOpen: () => void }) {
  const wide = useMediaQuery(fieldFits, { noSsr: true });
  if (!wide)
    return (
      <Tip text={`${searchText.title} (${keys})`}>
        <IconButton aria-label={searchText.title} aria-keyshortcuts={shortcuts} aria-haspopup="dialog" onClick={onOpen}>
          <SearchRounded />
        </IconButton>
      </Tip>
    );
  return (
    <ButtonBase
      aria-keyshortcuts={shortcuts}
      aria-haspopup="dialog"
      onClick={onOpen}
      sx={{
        width: 200,
        minWidth: 0,
        overflow: "hidden",
        height: 32,
        px: 2,
        gap: 2,
        justifyContent: "flex-start",
        borderRadius: "6px",
        border: 1,
        borderColor: "divider",
        bgcolor: "background.default",
        color: "text.secondary",
        font: "inherit",
        "&:hover": { borderColor: "text.secondary" },
      }}
    >
      <SearchRounded aria-hidden sx={{ fontSize: 18 }} />
      {searchText.title}
      <Box aria-hidden component="kbd" sx={{ ml: "auto", font: "inherit", fontSize: "0.75rem" }}>
        {keys}
      </Box>
    </ButtonBase>
  );
}
