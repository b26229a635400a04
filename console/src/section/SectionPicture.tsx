// Camera picture of a PS.C1, shown next to camera settings and used to draw lines and zones.
import { isList, type ItemList, type Section, type Values } from "@psp/contract/section/field.ts";
import { idOf, isPlainObject, itemsAt } from "@psp/contract/section/values.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { toDrawnItems } from "../preview/drawing/drawn-items.ts";
import { PictureEditor } from "../preview/drawing/PictureEditor.tsx";
import { PictureFrame } from "../preview/drawing/PictureFrame.tsx";
import { LastPictureLine } from "../preview/TakenAt.tsx";
import { useLastPicture } from "../preview/useLastPicture.ts";

export type SelectedItem = { list: string; id: string };

export type PictureProps = {
  sensor: Sensor;
  section: Section;
  /** Values of the form, in which coordinates may be invalid. */
  values: Values;
  set: (path: string, value: unknown) => void;
  /** The item whose fields were edited last. */
  selected: SelectedItem | null;
  select: (item: SelectedItem | null) => void;
  readOnly: boolean;
};

/** Renders nothing for sections without a picture, and for ZODs, which have a separate preview. */
export function SectionPicture(props: PictureProps) {
  const { sensor, section } = props;
  if (sensor.type !== "PS.C1") return null;
  const lists = section.parts.filter(isList).filter(({ fields }) => fields.some(({ kind }) => kind === "points"));
  if (lists.length > 0) return <Drawing {...props} lists={lists} />;
  return section.key === "camera" ? <Look {...props} /> : null;
}

function Look({ sensor }: PictureProps) {
  const { picture, empty, ...more } = useLastPicture(sensor);
  return (
    <div>
      <LastPictureLine {...more} />
      <PictureFrame picture={picture} empty={empty} />
    </div>
  );
}

function cornersOf({ fields }: ItemList): { min: number; max: number } {
  const field = fields.find(({ kind }) => kind === "points");
  return field?.kind === "points" ? { min: field.min, max: field.max } : { min: 0, max: 0 };
}

function Drawing({ sensor, values, set, selected, select, readOnly, lists }: PictureProps & { lists: ItemList[] }) {
  const { picture, empty, ...more } = useLastPicture(sensor);
  const items = toDrawnItems(values).flatMap((item) => {
    const list = lists.find(({ path }) => item.id.startsWith(`${path}.`));
    return list === undefined ? [] : [{ ...item, ...cornersOf(list) }];
  });
  const change = (drawn: string, next: (item: object) => object) => {
    const at = drawn.indexOf(".");
    const [list, id] = [drawn.slice(0, at), drawn.slice(at + 1)];
    set(
      list,
      itemsAt(values, list).map((item) => (idOf(item) === id && isPlainObject(item) ? next(item) : item)),
    );
  };
  return (
    <div>
      <LastPictureLine {...more} />
      <PictureEditor
        picture={picture}
        empty={empty}
        items={items}
        selected={selected === null ? null : `${selected.list}.${selected.id}`}
        readOnly={readOnly}
        onSelect={(drawn) => {
          const at = drawn?.indexOf(".") ?? -1;
          select(drawn === null ? null : { list: drawn.slice(0, at), id: drawn.slice(at + 1) });
        }}
        onChange={(drawn, points) => change(drawn, (item) => ({ ...item, points }))}
        onSwap={(drawn) =>
          change(drawn, (item) => ({ ...item, inSide: "inSide" in item && item.inSide === "right" ? "left" : "right" }))
        }
      />
    </div>
  );
}
