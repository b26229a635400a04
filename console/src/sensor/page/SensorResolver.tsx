// Finds out what kind a sensor is and steps on to the page of its type; a saved query may come along (SE-04).
import { parseMac } from "@psp/contract/kit/ids.ts";
import { addressOf, parseSearch } from "../../address/address.ts";
import { NotFoundPage } from "../../address/StandIns.tsx";
import { Redirect, useSearchParams, useParam } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { MissingObject } from "../../entity/page/ObjectPage.tsx";
import { PageSkeleton } from "../../ui/feedback/Skeletons.tsx";
import { sensor as entity } from "../sensor.entity.ts";
import { openTab } from "./sensor.tabs.ts";
import { sensorText } from "../sensor.text.ts";

export function SensorResolver() {
  const given = useParam("id");
  const id = parseMac(given);
  return id === null ? <NotFoundPage /> : <Resolve id={id} />;
}

function Resolve({ id }: { id: string }) {
  const { data: sensor, error } = entity.useOne(id);
  const { query, ...rest } = useSearchParams();
  const destination = useParam("destination");
  if (sensor === undefined) return error === null ? <PageSkeleton /> : <SensorMissing error={error} />;
  const saved = typeof query === "string" ? parseSearch(query) : {};
  // A destination that can't be opened leads to General.
  const path = paths.sensorTab(sensor.type, sensor._id, openTab(sensor, destination));
  return <Redirect to={addressOf(path, { ...rest, ...saved }, "keep")} />;
}

/** What is shown instead of a sensor that isn't there, or can't be asked for. */
export const SensorMissing = ({ error }: { error: Error }) => (
  <MissingObject error={error} text={sensorText} list={paths.sensors} />
);
