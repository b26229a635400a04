// The counts, history, general and firmware tabs of a sensor.
import { Box } from "@mui/material";
import { AccessCard } from "../../entity/access/AccessCard.tsx";
import { paths } from "../../address/paths.ts";
import { CountsPanel } from "../../counts/CountsPanel.tsx";
import { TodayCounts } from "../../counts/TodayCounts.tsx";
import { HistoryCard } from "../../audit/History.tsx";
import { DataProblems } from "../../monitoring/device/DataProblems.tsx";
import { FormColumns } from "../../ui/form/FormColumns.tsx";
import { ConfigurationPage } from "../../remote-access/ConfigurationPage.tsx";
import { FirmwareInstall } from "../firmware/FirmwareInstall.tsx";
import { RestCredentials } from "../firmware/RestCredentials.tsx";
import { SensorForm } from "../form/SensorForm.tsx";
import { RemoteFunctions } from "../remote/RemoteFunctions.tsx";
import { Tab } from "./Tab.tsx";

export const SensorCountsTab = () => (
  <Tab tab="counts">
    {({ _id: id, measurement }) => (
      <CountsPanel key={id} kind="sens" id={id} name={id} timeZone={measurement?.location.timezone ?? null} />
    )}
  </Tab>
);

export const SensorHistoryTab = () => <Tab tab="history">{(sensor) => <HistoryCard type="sensor" row={sensor} />}</Tab>;

export const SensorGeneralTab = () => (
  <Tab tab="general">
    {(sensor, complete) => (
      <FormColumns
        aside={
          <>
            <DataProblems scope={{ sens: sensor._id }} timeZone={sensor.measurement?.location.timezone ?? null} />
            <TodayCounts
              kind="sens"
              id={sensor._id}
              timeZone={sensor.measurement?.location.timezone ?? null}
              path={paths.sensorTab(sensor.type, sensor._id, "counts")}
            />
            <AccessCard type="sensor" id={sensor._id} />
            <RemoteFunctions key={sensor._id} sensor={sensor} />
          </>
        }
      >
        <SensorForm key={sensor._id} sensor={sensor} complete={complete} />
      </FormColumns>
    )}
  </Tab>
);

/** APS only. */
export const SensorFirmwareTab = () => (
  <Tab tab="firmware">
    {(sensor, complete) => (
      <Box sx={{ display: "flex", flexDirection: "column", gap: 4, maxWidth: 640 }}>
        <FirmwareInstall sensor={sensor} />
        <ConfigurationPage key={sensor._id} sensor={sensor} />
        <RestCredentials key={sensor._id} sensor={sensor} complete={complete} />
      </Box>
    )}
  </Tab>
);
