// Quick filters with counts above the sensor list (docs/rules/sensors.md#statistics).
import type { SensorStats } from "@psp/contract/sensor/sensor.api.ts";
import { Box, Link } from "@mui/material";
import { type KeyboardEvent, useState } from "react";
import { useLink } from "../../address/navigation.tsx";
import { formatSearch } from "../../address/address.ts";
import type { ListState } from "../../address/list-state.ts";
import { paths } from "../../address/paths.ts";
import { useSensorStats } from "../../api/session/useHasMonitoringLicense.ts";
import { sensorText as text } from "../sensor.text.ts";
import { formatNumber } from "../../ui/text/numbers.ts";

type Preset = { label: string; name: string; value: string; count: (stats: SensorStats) => number };

const among = <T,>(buckets: readonly { _id: T; count: number }[], id: T) =>
  buckets.find(({ _id }) => _id === id)?.count ?? 0;

const presets: readonly Preset[] = [
  {
    label: text.offlineLong,
    name: "lastContact",
    value: "24h",
    count: ({ totalByLastContact }) => among(totalByLastContact, "24h"),
  },
  {
    label: text.neverConnected,
    name: "lastContact",
    value: "never",
    count: ({ totalByLastContact }) => among(totalByLastContact, "never"),
  },
  ...(["installing", "failed"] as const).map((word) => ({
    label: text.installations[word],
    name: "installation",
    value: word,
    count: ({ totalByInstallation }: SensorStats) => among(totalByInstallation, word),
  })),
];

/** Index of the item that `key` moves the focus to; undefined for other keys. */
function placeAfter(key: string, index: number, count: number): number | undefined {
  if (key === "ArrowRight") return (index + 1) % count;
  if (key === "ArrowLeft") return (index - 1 + count) % count;
  if (key === "Home") return 0;
  return key === "End" ? count - 1 : undefined;
}

/** The counts ignore the list's filters. The toolbar is a single tab stop; arrow keys move between its links. */
export function TroublePresets({ list }: { list: ListState }) {
  const { data } = useSensorStats();
  const [stop, setStop] = useState(0);
  const shown =
    data === undefined ? [] : presets.map((one) => ({ ...one, n: one.count(data) })).filter(({ n }) => n > 0);
  if (shown.length === 0) return null;
  const isOn = ({ name, value }: Preset) => list.active === 1 && list.many(name).join() === value;
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const links = [...event.currentTarget.querySelectorAll("a")];
    const next = placeAfter(event.key, links.indexOf(event.target as HTMLAnchorElement), links.length);
    if (next === undefined) return;
    event.preventDefault();
    setStop(next);
    links[next]?.focus();
  };
  return (
    <Box
      role="toolbar"
      aria-label={text.presets}
      onKeyDown={onKeyDown}
      sx={{ display: "flex", flexWrap: "wrap", gap: 1, rowGap: 1, minWidth: 0 }}
    >
      {shown.map((one, index) => (
        <PresetLink
          key={one.label}
          {...one}
          on={isOn(one)}
          tabIndex={index === Math.min(stop, shown.length - 1) ? 0 : -1}
        />
      ))}
    </Box>
  );
}

type PresetLinkProps = Preset & { n: number; on: boolean; tabIndex: number };

function PresetLink({ label, name, value, n, on, tabIndex }: PresetLinkProps) {
  return (
    <Link
      {...useLink(paths.sensors + formatSearch({ [name]: value }), "none")}
      {...(on && { "aria-current": "true" as const })}
      tabIndex={tabIndex}
      color="inherit"
      underline="none"
      sx={{
        display: "inline-flex",
        alignItems: "center",
        gap: 2,
        px: 3,
        minHeight: 32,
        border: 1,
        borderColor: on ? "primary.main" : "divider",
        bgcolor: on ? "action.selected" : "transparent",
        borderRadius: "6px",
        whiteSpace: "nowrap",
        "&:hover": { bgcolor: "action.hover" },
        "@media (pointer: coarse)": { minHeight: 44 },
      }}
    >
      {label}
      <Box component="strong" sx={{ fontWeight: 600, fontVariantNumeric: "tabular-nums" }}>
        {formatNumber(n)}
      </Box>
    </Link>
  );
}
