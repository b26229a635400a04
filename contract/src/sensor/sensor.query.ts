// What the list of sensors may be asked for; apart from the calls, as with locations.
import { z } from "zod";
import { idFilter, idText, pageQuery, queryFlag, repeatable, textFilter } from "../kit/page.ts";
import { openStatuses } from "../monitoring/issue-words.ts";
import { connectionStates, installations, lastContacts } from "./presence.ts";
import { sensorTypes } from "../device/sensor-type.ts";

/** The filters of the sensor list beside paging (SE-01, SE-02). */
export const sensorFilter = {
  ids: idFilter.optional(),
  sensorType: repeatable(z.enum(sensorTypes)).optional(),
  connected: z.enum(connectionStates).optional(),
  installation: repeatable(z.enum(installations)).optional(),
  lastContact: repeatable(z.enum(lastContacts)).optional(),
  /** With an open issue of one of these statuses. */
  issueStatus: repeatable(z.enum(openStatuses)).optional(),
  /** With an open issue that is acknowledged, or with one that is not; of these statuses if both are given. */
  acknowledged: queryFlag.optional(),
  /** With the monitoring license. */
  monitored: queryFlag.optional(),
  ownerID: idFilter.optional(),
  /** The firmware last assigned: the present one, or the one whose installation was canceled (ADR 0019). */
  artifactID: idFilter.optional(),
  artifactRunningID: idFilter.optional(),
  infoSoftwareFirmwareVersion: repeatable(textFilter).optional(),
  measID: idFilter.optional(),
  claimable: z.enum(["enabled", "disabled"]).optional(),
  groups: repeatable(textFilter).optional(),
  sensorID: textFilter.optional(),
};

export const sensorListQuery = z.strictObject({
  ...pageQuery(["_id", "type", "lastContactAt"]),
  ...sensorFilter,
  onlyIDs: queryFlag.optional(),
  /** Continue behind this id without counting through the pages before it; only with the default sort. */
  after: idText.optional(),
});
