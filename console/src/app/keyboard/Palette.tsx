// Command palette (Ctrl+K or ⌘K) that finds objects, pages and actions.
import { Autocomplete, Box, Dialog, TextField } from "@mui/material";
import { styled } from "@mui/material/styles";
import { type ComponentProps, Fragment, useState } from "react";
import { useDebounced } from "../../ui/form/useDebounced.ts";
import { visuallyHidden } from "../../ui/visuallyHidden.ts";
import { searchText } from "./search.text.ts";
import { type Command, useCommands } from "./entries.ts";
import { useSearchResults, useRecentObjects } from "./found.ts";
import { findMatch } from "../../ui/SearchHighlight.tsx";

const text = searchText;
const debounceMs = 200;

type PaletteProps = {
  onClose: () => void;
  onShortcuts: () => void;
  early: () => string;
};

export function Palette({ onClose, onShortcuts, early }: PaletteProps) {
  const [typed, setTyped] = useState(early);
  const [asked, setAsked] = useState(() => early().trim());
  const { later: askLater } = useDebounced(setAsked, debounceMs);
  const { entries, isSearching } = useFilteredCommands(typed.trim(), asked, onShortcuts);
  return (
    <Dialog
      open
      onClose={onClose}
      fullWidth
      sx={{ "& .MuiDialog-container": { alignItems: "flex-start" } }}
      slotProps={{
        paper: { "aria-label": text.title, sx: { maxWidth: 600, m: { xs: 2, sm: 8 }, mt: { xs: 2, sm: "10vh" } } },
      }}
    >
      <Autocomplete<Command>
        open
        autoHighlight
        disablePortal
        openOnFocus
        options={entries}
        groupBy={({ group }) => group}
        getOptionLabel={({ label }) => label}
        getOptionKey={({ id }) => id}
        isOptionEqualToValue={(a, b) => a.id === b.id}
        filterOptions={(options) => options}
        value={null}
        inputValue={typed}
        onInputChange={(_, next, reason) => {
          if (reason !== "input") return;
          setTyped(next);
          askLater(next.trim());
        }}
        onChange={(_, entry) => {
          if (entry === null) return;
          if (entry.keepsOpen !== true) onClose();
          entry.run();
        }}
        onClose={(_, reason) => {
          if (reason === "escape") onClose();
        }}
        noOptionsText={text.searching}
        forcePopupIcon={false}
        renderGroup={({ key, group, children }) => (
          <li key={key} role="presentation">
            <GroupTitle id={`search-group-${key}`}>{group}</GroupTitle>
            <Box component="ul" role="group" aria-labelledby={`search-group-${key}`} sx={{ listStyle: "none", p: 0 }}>
              {children}
            </Box>
          </li>
        )}
        renderOption={({ key: _key, ...props }, entry) => (
          <Option key={entry.id} {...props} entry={entry} typed={typed} />
        )}
        renderInput={(params) => (
          <TextField
            {...params}
            autoFocus
            placeholder={text.placeholder}
            slotProps={{
              ...params.slotProps,
              htmlInput: {
                ...params.slotProps.htmlInput,
                "aria-label": text.title,
                enterKeyHint: "go",
                autoCapitalize: "none",
                spellCheck: false,
              },
            }}
          />
        )}
        sx={{
          p: 3,
          minHeight: { xs: 240, sm: 380 },
          "& .MuiAutocomplete-popper": {
            position: "static !important",
            transform: "none !important",
            width: "100% !important",
          },
        }}
        slotProps={{
          paper: { sx: { border: 0, boxShadow: "none" } },
          listbox: { "aria-label": text.title, sx: { maxHeight: "min(420px, calc(100dvh - 200px))" } },
        }}
      />
      <div role="status" style={visuallyHidden}>
        {isSearching ? text.searching : entries.length === 0 ? "" : statusOf(entries, typed)}
      </div>
    </Dialog>
  );
}

function Option({ entry: { label, hint }, typed, ...props }: ComponentProps<"li"> & { entry: Command; typed: string }) {
  return (
    <Box component="li" {...props}>
      <Box component="span" sx={{ mr: "auto", minWidth: 0, overflowWrap: "anywhere" }}>
        <HighlightedLabel label={label} text={typed} />
      </Box>
      {hint === undefined ? null : (
        <Box
          component="span"
          sx={{ color: "text.secondary", pl: 4, fontSize: "0.75rem", flex: "none", maxWidth: "50%" }}
        >
          {hint}
        </Box>
      )}
    </Box>
  );
}

const GroupTitle = styled("div")(({ theme }) => ({
  padding: "8px 8px 4px",
  fontSize: "0.75rem",
  lineHeight: "16px",
  fontWeight: 600,
  color: theme.vars.palette.text.secondary,
  overflowWrap: "anywhere",
}));

const statusOf = (entries: readonly Command[], typed: string) =>
  entries[0]?.group === text.nothing(typed.trim()) ? text.nothing(typed.trim()) : text.results(entries.length);

/** Entries that match `wanted`; if it is empty, recent objects and all commands. `asked` is the text sent to the server. */
function useFilteredCommands(wanted: string, asked: string, onShortcuts: () => void) {
  const places = useCommands(onShortcuts);
  const recent = useRecentObjects(wanted === "");
  const { entries: found, isSearching, failed, retry } = useSearchResults(wanted, asked);
  if (wanted === "") return { entries: [...recent, ...places], isSearching: false };
  const again: Command[] = failed
    ? [{ id: "again", group: text.failed, label: text.tryAgain, run: retry, keepsOpen: true }]
    : [];
  const matching = places.filter(({ label }) => matches(label, wanted));
  const entries = [...matching, ...found, ...again];
  if (entries.length > 0 || isSearching) return { entries, isSearching };
  const group = text.nothing(wanted);
  const pages = places.filter((place) => place.group === text.groups.pages);
  return { entries: pages.map((page) => ({ ...page, group })), isSearching };
}

/** Whether each typed word is the beginning of a word of the label. */
function matches(label: string, wanted: string): boolean {
  const words = label.toLowerCase().split(/\s+/);
  return wanted
    .toLowerCase()
    .split(/\s+/)
    .every((part) => words.some((word) => word.startsWith(part)));
}

function HighlightedLabel({ label, text: typed }: { label: string; text: string }) {
  const part = findMatch(label, typed);
  if (part === undefined) return label;
  const [from, to] = part;
  return (
    <Fragment>
      {label.slice(0, from)}
      <Box component="mark" sx={{ bgcolor: "transparent", color: "primary.main", fontWeight: 700 }}>
        {label.slice(from, to)}
      </Box>
      {label.slice(to)}
    </Fragment>
  );
}
