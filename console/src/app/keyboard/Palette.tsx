// The command palette: a few letters lead to any page, sensor or location (look.md, Ctrl or ⌘ and K).
import { listLocations } from "@psp/contract/location/location.api.ts";
import type { Location } from "@psp/contract/location/location.ts";
import { canViewType } from "@psp/contract/permission/can.ts";
import { listSensors } from "@psp/contract/sensor/sensor.api.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { Autocomplete, Box, Dialog, TextField } from "@mui/material";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { type Listed, useListed } from "../../api/listed.ts";
import { useGo } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { useActor, useSession } from "../../session/session.tsx";
import { useMayCreate } from "../../session/useCan.ts";
import { useThemeMode } from "../../theme/AppTheme.tsx";
import { useDebounced } from "../../ui/form/useDebounced.ts";
import { appText } from "../app.text.ts";
import { useTabs } from "../Header.tsx";

type Entry = { group: string; label: string; hint?: string; run: () => void };

const debounceMs = 200;

export function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState("");
  const [asked, setAsked] = useState("");
  const { later: askLater } = useDebounced(setAsked, debounceMs);
  const entries = [...usePlaces(), ...useFound(asked)];
  return (
    <Dialog
      open
      onClose={onClose}
      fullWidth
      sx={{ "& .MuiDialog-container": { alignItems: "flex-start" } }}
      slotProps={{ paper: { "aria-label": appText.searchTitle, sx: { maxWidth: 560, mt: { xs: 4, sm: "12vh" } } } }}
    >
      <Autocomplete<Entry>
        open
        autoHighlight
        disablePortal
        openOnFocus
        options={entries}
        getOptionLabel={(entry) => entry.label}
        isOptionEqualToValue={(a, b) => a.label === b.label && a.group === b.group}
        // What the server found was filtered there; letters may be anywhere in it.
        filterOptions={(options) =>
          options.filter(
            ({ group, label }) =>
              (group !== "Pages" && group !== "Actions") || label.toLowerCase().includes(text.trim().toLowerCase()),
          )
        }
        inputValue={text}
        onInputChange={(_, next, reason) => {
          if (reason !== "input") return;
          setText(next);
          askLater(next.trim());
        }}
        onChange={(_, entry) => {
          if (entry === null) return;
          onClose();
          entry.run();
        }}
        onClose={(_, reason) => {
          if (reason === "escape") onClose();
        }}
        noOptionsText="Nothing found"
        forcePopupIcon={false}
        renderOption={({ key: _key, ...props }, entry) => (
          <Box component="li" key={`${entry.group} ${entry.label} ${entry.hint ?? ""}`} {...props}>
            <Box component="span" sx={{ mr: "auto" }}>
              {entry.label}
            </Box>
            <Box component="span" sx={{ color: "text.secondary", pl: 4 }}>
              {entry.hint ?? entry.group}
            </Box>
          </Box>
        )}
        renderInput={(params) => (
          <TextField
            {...params}
            autoFocus
            placeholder="Page, sensor or location"
            slotProps={{
              ...params.slotProps,
              htmlInput: { ...params.slotProps.htmlInput, "aria-label": appText.searchTitle },
            }}
          />
        )}
        sx={{
          p: 3,
          minHeight: 360,
          "& .MuiAutocomplete-popper": {
            position: "static !important",
            transform: "none !important",
            width: "100% !important",
          },
        }}
        slotProps={{
          paper: { sx: { border: 0, boxShadow: "none" } },
          listbox: { "aria-label": appText.searchTitle, sx: { maxHeight: 320 } },
        }}
      />
    </Dialog>
  );
}

function usePlaces(): Entry[] {
  const go = useGo();
  const tabs = useTabs();
  const { logout } = useSession();
  const mayCreateSensor = useMayCreate("sensor") === true;
  const { setMode, resolved } = useThemeMode();
  return [
    ...tabs
      .filter((tab) => tab.external !== true && tab.disabledReason === undefined)
      .map((tab) => ({ group: "Pages", label: tab.label, run: () => go(tab.href, { query: "none" }) })),
    { group: "Pages", label: appText.accountInfo, run: () => go(paths.myAccount, { query: "none" }) },
    ...(mayCreateSensor
      ? [{ group: "Actions", label: appText.newSensor, run: () => go(paths.newSensor, { query: "none" }) }]
      : []),
    {
      group: "Actions",
      label: resolved === "dark" ? appText.theme.light : appText.theme.dark,
      run: () => setMode(resolved === "dark" ? "light" : "dark"),
    },
    { group: "Actions", label: appText.logout, run: logout },
  ];
}

function useFound(text: string): Entry[] {
  const go = useGo();
  const actor = useActor();
  const isLong = text.length >= 2;
  const limit = "8";
  const sensors = useListed<Sensor>(
    ["sensor", "palette", text],
    (signal) => call(listSensors, { query: { limit, sensorID: text }, signal }),
    isLong && canViewType(actor, "sensor"),
  );
  const locations = useListed<Location>(
    ["measurement", "palette", text],
    (signal) => call(listLocations, { query: { limit, name: text }, signal }) as Promise<Listed<Location>>,
    isLong && canViewType(actor, "measurement"),
  );
  if (!isLong) return [];
  return [
    ...(locations.data?.objects ?? []).map((one) => ({
      group: "Locations",
      label: one.name,
      hint: `Location of ${one.owner.name}`,
      run: () => go(paths.locationGeneral(one._id), { query: "none" }),
    })),
    ...(sensors.data?.objects ?? []).map((one) => ({
      group: "Sensors",
      label: one._id,
      hint: `${one.type} sensor`,
      run: () => go(paths.sensorGeneral(one.type, one._id), { query: "none" }),
    })),
  ];
}
