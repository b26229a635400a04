// The active filters above a list, each removable.
import CloseRounded from "~icons/ic/round-close";
import { Box, Button, Chip } from "@mui/material";

export type ActiveFilter = {
  id: string;
  /** The filter's label, e.g. "Owner". */
  name: string;
  /** The filter's value, e.g. "Branch 01". */
  value: string;
  onRemove: () => void;
};

/** Renders nothing without filters. */
export function FilterChips(props: {
  filters: readonly ActiveFilter[];
  onClear: () => void;
  clearLabel?: string | undefined;
}) {
  if (props.filters.length === 0) return null;
  return (
    <Box
      component="ul"
      aria-label="Active filters"
      sx={{ display: "flex", flexWrap: "wrap", gap: 2, alignItems: "center", listStyle: "none", p: 0, m: 0 }}
    >
      {props.filters.map((filter) => (
        <li key={filter.id}>
          <Chip
            component="button"
            type="button"
            variant="outlined"
            clickable
            onClick={filter.onRemove}
            aria-label={`Remove filter ${filter.name}: ${filter.value}`}
            label={
              <>
                <Box component="span" sx={{ color: "text.secondary" }}>
                  {filter.name}{" "}
                </Box>
                {filter.value}
              </>
            }
            icon={<CloseRounded />}
            sx={{
              flexDirection: "row-reverse",
              bgcolor: "background.paper",
              borderColor: "divider",
              maxWidth: 280,
              "& .MuiChip-icon": { fontSize: 14, ml: 0, mr: 1.5 },
              "& .MuiChip-label": { pl: 2, pr: 1 },
              "@media (pointer: coarse)": { height: 36 },
            }}
          />
        </li>
      ))}
      <li>
        <Button size="small" color="inherit" onClick={props.onClear}>
          {props.clearLabel ?? "Clear all"}
        </Button>
      </li>
    </Box>
  );
}
