// URL parameters of the sensor list without zod; a test compares them with the contract (ADR 0027).
import { openIssueStatuses } from "@psp/contract/monitoring/issue-words.ts";
import { connectionStates, installationStates, lastContactFilters } from "@psp/contract/sensor/presence.ts";
import { sensorTypes } from "@psp/contract/device/sensor-type.ts";
import { flag, id, ids, oneOf, paging, someOf, text, texts } from "../../address/parameters.ts";

export const sensorParameters = {
  ...paging(["_id", "type", "lastContactAt"]),
  ids,
  sensorType: someOf(sensorTypes),
  connected: oneOf(connectionStates),
  installation: someOf(installationStates),
  lastContact: someOf(lastContactFilters),
  issueStatus: someOf(openIssueStatuses),
  acknowledged: flag,
  monitored: flag,
  ownerID: ids,
  ownerTreeID: id,
  outdated: flag,
  artifactID: ids,
  artifactRunningID: ids,
  infoSoftwareFirmwareVersion: texts,
  measID: ids,
  hasLocation: flag,
  claimable: oneOf(["enabled", "disabled"]),
  groups: texts,
  sensorID: text,
  onlyIDs: flag,
  after: id,
};
