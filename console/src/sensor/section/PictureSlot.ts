// The place for a picture in the form of a section, on which its lines and zones are drawn.
import type { Section, Values } from "@psp/contract/section/field.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { createContext, createElement, type ReactNode } from "react";
import { SectionPicture } from "./SectionPicture.tsx";

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
 * What is drawn above the first list whose items have points; in sections without one beside the fields, where it is nothing for a
 * section that there is no picture for.
 */
export const PictureSlot = createContext<(props: PictureProps) => ReactNode>((props) =>
  createElement(SectionPicture, props),
);
