// The place for a picture in the form of a section, on which its lines and zones are drawn; who has one puts it in.
import type { Section, Values } from "@psp/contract/section/field.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { type ComponentType, createContext } from "react";

/** An item of a list, by the path of the list and its id. */
export type Selected = { list: string; id: string };

export type PictureProps = {
  sensor: Sensor;
  section: Section;
  /** As they are in the form: what was typed into a coordinate may be no number yet. */
  values: Values;
  /** Sets what stands at a dotted path of the values, such as the list `lines`. */
  set: (path: string, value: unknown) => void;
  /** The item whose fields were touched last. */
  selected: Selected | null;
  select: (item: Selected | null) => void;
  readOnly: boolean;
};

/**
 * Drawn above the first list whose items have points; in sections without one beside the fields, where the component draws
 * nothing for a section that it has no picture for.
 */
export const PictureSlot = createContext<ComponentType<PictureProps> | null>(null);
