// Query parameters of the sensor list. Separate from the API calls, so that pages that only make the calls don't load these schemas
// (ADR 0027).
import { z } from "zod";
import { idFilter, idText, pageQuery, queryFlag, repeatable, textFilter } from "../kit/page.ts";
import { openIssueStatuses } from "../monitoring/issue-words.ts";
import { connectionStates, installationStates, lastContactFilters } from "./presence.ts";
import { sensorTypes } from "../device/sensor-type.ts";

/** Filters of the sensor list (SE-01, SE-02). */
export const sensorFilter = {
  ids: idFilter.optional(),
  sensorType: repeatable(z.enum(sensorTypes)).optional(),
  connected: z.enum(connectionStates).optional(),
  installation: repeatable(z.enum(installationStates)).optional(),
  lastContact: repeatable(z.enum(lastContactFilters)).optional(),
  issueStatus: repeatable(z.enum(openIssueStatuses)).optional(),
  /**
   * Finds sensors with an open issue that is (or isn't) acknowledged. With `issueStatus`, the same issue must also have one of
   * its statuses.
   */
  acknowledged: queryFlag.optional(),
  monitored: queryFlag.optional(),
  ownerID: idFilter.optional(),
  /** Finds sensors of this account and of all accounts below it. */
  ownerTreeID: idText.optional(),
  /** Finds sensors with an older version than the newest release of their type that the caller may view. */
  outdated: queryFlag.optional(),
  /** The firmware that was last assigned, even if its installation was canceled (ADR 0019). */
  artifactID: idFilter.optional(),
  artifactRunningID: idFilter.optional(),
  infoSoftwareFirmwareVersion: repeatable(textFilter).optional(),
  measID: idFilter.optional(),
  /** Whether the sensor has a location that the caller may view. */
  hasLocation: queryFlag.optional(),
  claimable: z.enum(["enabled", "disabled"]).optional(),
  groups: repeatable(textFilter).optional(),
  sensorID: textFilter.optional(),
};

export const sensorListQuery = z.strictObject({
  ...pageQuery(["_id", "type", "lastContactAt"]),
  ...sensorFilter,
  onlyIDs: queryFlag.optional(),
  /** For keyset pagination: returns sensors after this id. Works only with the default sort order. */
  after: idText.optional(),
});
