// Definition of a section: fields, rules across fields, effects of changes, and defaults.
import type { Sensor } from "../device/sensor-state.ts";
import type { SectionValues } from "../device/section-state.ts";
import type { ReportError, Fields } from "./field.ts";

/** Context of a rule; all fields are already valid. */
type RuleContext = {
  sensor: Sensor;
  complain: ReportError;
  before: SectionValues;
  sent: SectionValues;
  of(section: string): SectionValues;
};

export type Section = {
  fields: Fields;
  defaults(sensor: Sensor): SectionValues;
  rules?(values: SectionValues, context: RuleContext): void;
  /** Write-only keys at any depth. */
  secrets?: readonly string[];
  /** Fields that take effect on the next boot. */
  restart?: readonly string[];
  /** Fields that may cut the connection and need confirmation over a new one. */
  confirm?: readonly string[];
  /** Why the sensor's hardware or licenses don't allow these values; null if they do. */
  lacks?(values: SectionValues, sensor: Sensor): string | null;
  /** Whether the sensor would be unreachable with these values. */
  cutsOff?(values: SectionValues): boolean;
  /** Stored values, if they differ from those sent. */
  keep?(values: SectionValues, sensor: Sensor): SectionValues;
  /** Returned values, if they differ from the stored ones. */
  show?(values: SectionValues, sensor: Sensor): SectionValues;
  info?(sensor: Sensor): SectionValues;
};
