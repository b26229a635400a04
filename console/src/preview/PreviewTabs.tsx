// Preview tabs of ZOD and PS.C1. They are in one file, so that they load as one chunk.
import { useParam } from "../address/navigation.tsx";
import { Tab } from "../sensor/page/Tab.tsx";
import { Cameras } from "./Cameras.tsx";
import { Gps } from "./Gps.tsx";
import { Occupancy, OccupancyPage } from "./occupancy/Occupancy.tsx";

export const PreviewCamerasTab = () => (
  <Tab tab="preview-cameras">{(sensor) => <Cameras key={sensor._id} sensor={sensor} />}</Tab>
);

export const PreviewGpsTab = () => <Tab tab="preview-gps">{(sensor) => <Gps key={sensor._id} sensor={sensor} />}</Tab>;

export const PreviewOccupancyTab = () => (
  <Tab tab="preview-occupancy">{(sensor) => <Occupancy key={sensor._id} sensor={sensor} />}</Tab>
);

export const PreviewOccupancyPage = () => <OccupancyPage page={useParam("page")} />;
