// The Firmware tab of an APS: how its firmware gets there, its configuration page, and the login of its REST interface (spec 2 §2, §5).
import Box from "@mui/material/Box";
import { ConfigurationPage } from "./ConfigurationPage.tsx";
import { FirmwareInstall } from "../firmware/FirmwareInstall.tsx";
import { RestCredentials } from "../firmware/RestCredentials.tsx";
import { SensorTabGate } from "./SensorTabGate.tsx";

export function SensorFirmwareTab() {
  return (
    <SensorTabGate tab="firmware">
      {(sensor, complete) => (
        <Box sx={{ display: "flex", flexDirection: "column", gap: 4, maxWidth: 640 }}>
          <FirmwareInstall sensor={sensor} />
          <ConfigurationPage sensor={sensor} />
          <RestCredentials key={sensor._id} sensor={sensor} complete={complete} />
        </Box>
      )}
    </SensorTabGate>
  );
}
