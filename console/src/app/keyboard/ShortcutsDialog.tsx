// List of global shortcuts, and a switch for single-key ones.
import {
  Box,
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  FormControlLabel,
  Switch,
} from "@mui/material";
import { styled } from "@mui/material/styles";
import { monoFont } from "../../ui/theme/theme.ts";
import { appText } from "../app.text.ts";

const Key = styled("kbd")(({ theme }) => ({
  fontFamily: monoFont,
  fontSize: "0.75rem",
  padding: "1px 6px",
  borderRadius: 4,
  border: `1px solid ${theme.vars.palette.divider}`,
  backgroundColor: theme.vars.palette.background.default,
}));

const shortcuts: readonly (readonly [keys: readonly string[], does: string])[] = [
  [["Ctrl", "K"], "Search everything and run actions"],
  [["/"], "Search or filter the list"],
  [["↑", "↓"], "Move between rows of a list"],
  [["←", "→"], "Show earlier or later counts"],
  [["Enter"], "Open the row"],
  [["Esc"], "Close a dialog or menu"],
  [["?"], "Show keyboard shortcuts"],
];

type ShortcutsDialogProps = {
  open: boolean;
  onClose: () => void;
  singleKeys: boolean;
  onSingleKeys: (on: boolean) => void;
};

export function ShortcutsDialog({ open, onClose, singleKeys, onSingleKeys }: ShortcutsDialogProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      fullWidth
      slotProps={{ paper: { sx: { maxWidth: 420 } } }}
      aria-labelledby="shortcuts-title"
    >
      <DialogTitle id="shortcuts-title">{appText.shortcuts}</DialogTitle>
      <DialogContent>
        <Box
          component="dl"
          sx={{
            m: 0,
            display: "grid",
            gridTemplateColumns: "auto 1fr",
            columnGap: 4,
            rowGap: 2,
            alignItems: "center",
            "& > div": { display: "contents" },
            "& dt": { display: "flex", gap: 1 },
            "& dd": { m: 0 },
          }}
        >
          {shortcuts.map(([keys, does]) => (
            <div key={does}>
              <dt>
                {keys.map((key) => (
                  <Key key={key}>{key}</Key>
                ))}
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </Box>
        <FormControlLabel
          sx={{ mt: 4 }}
          label="Single-key shortcuts"
          control={<Switch checked={singleKeys} onChange={(_, on) => onSingleKeys(on)} />}
        />
      </DialogContent>
      <DialogActions>
        <Button variant="outlined" color="inherit" onClick={onClose}>
          Close
        </Button>
      </DialogActions>
    </Dialog>
  );
}
