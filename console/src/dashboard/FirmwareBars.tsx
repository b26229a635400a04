// Table of the most used firmware versions, with bars (DB-01).
import { Box, Typography } from "@mui/material";
import { Mono } from "../ui/Mono.tsx";
import { type Buckets, countOf, sensorListUrl } from "./counted-lists.ts";
import { dashboardText } from "./dashboard.text.ts";
import { PlainLink } from "./Rings.tsx";

const topFirmware = 10;

export function FirmwareBars({ firmware }: { firmware: Buckets<string | null> }) {
  const known = firmware
    .flatMap(({ _id, count }) => (_id === null ? [] : [{ version: _id, count }]))
    .toSorted((a, b) => b.count - a.count);
  const top = known.slice(0, topFirmware);
  const most = Math.max(1, ...top.map(({ count }) => count));
  return (
    <Box>
      <Typography variant="h3" id="top-firmware" sx={{ mb: 2 }}>
        {dashboardText.firmware}
      </Typography>
      <Box
        component="table"
        aria-labelledby="top-firmware"
        sx={{
          width: 1,
          borderCollapse: "collapse",
          "& th": { textAlign: "left", fontWeight: 400, py: 1, pr: 4 },
          "& tbody tr": { position: "relative" },
          "& a::after": { content: '""', position: "absolute", inset: 0 },
        }}
      >
        <Box component="thead" sx={{ fontSize: "0.75rem", color: "text.secondary" }}>
          <tr>
            <Box component="th" scope="col" sx={{ width: { xs: 120, md: 160 } }}>
              {dashboardText.version}
            </Box>
            <th scope="col">{dashboardText.axis}</th>
          </tr>
        </Box>
        <tbody>
          {top.map(({ version, count }) => (
            <tr key={version}>
              <th scope="row">
                <PlainLink to={sensorListUrl({ infoSoftwareFirmwareVersion: version })}>
                  <Mono>{version}</Mono>
                </PlainLink>
              </th>
              <td>
                <Box sx={{ display: "flex", alignItems: "center", gap: 2 }}>
                  <Box
                    aria-hidden
                    sx={{
                      height: 14,
                      width: `${(count / most) * 85}%`,
                      minWidth: 2,
                      borderRadius: "2px",
                      bgcolor: "primary.main",
                      forcedColorAdjust: "none",
                    }}
                  />
                  <Box component="span" sx={{ fontVariantNumeric: "tabular-nums" }}>
                    {count}
                  </Box>
                </Box>
              </td>
            </tr>
          ))}
        </tbody>
      </Box>
      <Typography sx={{ mt: 2, color: "text.secondary" }}>
        {dashboardText.unreported(countOf(firmware, null))}
      </Typography>
    </Box>
  );
}
