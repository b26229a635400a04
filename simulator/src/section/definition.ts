// What defines a section: its fields, what holds between them, what a change of them costs, and what it is before anybody sets it.
import type { Sensor } from "../device/sensor-state.ts";
import type { Values } from "../device/section-state.ts";
import type { Complain, Fields } from "./field.ts";

/** What a rule may look at beside the values, whose fields are in order when it is asked. */
type Around = {
  sensor: Sensor;
  complain: Complain;
  before: Values;
  /** The values as they were sent. */
  sent: Values;
  /** Values of another section. */
  of(section: string): Values;
};

export type Section = {
  fields: Fields;
  defaults(sensor: Sensor): Values;
  rules?(values: Values, around: Around): void;
  /** Keys, at any depth, that are never answered. */
  secrets?: readonly string[];
  /** Fields that take effect with the next boot. */
  restart?: readonly string[];
  /** Fields that may cut the connection, and have to be confirmed over a new one. */
  confirm?: readonly string[];
  /** What this hardware, or its licenses, can't do of it; null: nothing. */
  lacks?(values: Values, sensor: Sensor): string | null;
  /** True when no one can reach the sensor with these values. */
  cutsOff?(values: Values): boolean;
  /** Values as they are kept, where others than those that were sent. */
  keep?(values: Values, sensor: Sensor): Values;
  /** Values as they are shown, where others than those that are kept. */
  show?(values: Values, sensor: Sensor): Values;
  info?(sensor: Sensor): Values;
};
