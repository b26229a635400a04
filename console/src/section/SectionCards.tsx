// Arranges a section's fields, lists, picture and facts in cards.
import { isList, type Field, type ItemList, type Section } from "@psp/contract/section/field.ts";
import { withValueAt } from "@psp/contract/section/values.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { SectionCard } from "../ui/SectionCard.tsx";
import type { SectionFormState } from "./fields/fieldContext.ts";
import { FieldGrid } from "./fields/FieldGrid.tsx";
import { ItemListCard } from "./fields/ItemListCard.tsx";
import { sectionText as text } from "./section.text.ts";
import { SectionFacts } from "./SectionFacts.tsx";
import { type PictureProps, SectionPicture } from "./SectionPicture.tsx";

type PartsProps = Pick<PictureProps, "selected" | "select"> & { sensor: Sensor; form: SectionFormState };

const hasPoints = (part: Field | ItemList): part is ItemList =>
  isList(part) && part.fields.some(({ kind }) => kind === "points");

function Picture({ sensor, form, ...selection }: PartsProps) {
  const { section, values, readOnly, edit } = form;
  const set = (path: string, value: unknown) => edit(path, (all) => withValueAt(all, path, value));
  return (
    <SectionPicture {...selection} sensor={sensor} section={section} values={values} set={set} readOnly={readOnly} />
  );
}

export function SectionSideCards(props: PartsProps) {
  const { section, info } = props.form;
  const facts = section.facts.filter(({ list }) => list === undefined);
  return (
    <>
      {section.parts.some(hasPoints) ? null : <Picture {...props} />}
      {facts.length === 0 ? null : (
        <SectionCard title={text.state}>
          <SectionFacts facts={facts} of={info} />
        </SectionCard>
      )}
    </>
  );
}

type Card = { fields: readonly Field[]; list?: ItemList };

/**
 * Fields before the first list and after the last one have separate cards. Fields between lists share the card of the next
 * list.
 */
function cardsOf({ parts }: Section): Card[] {
  const cards: Card[] = [];
  let fields: Field[] = [];
  for (const part of parts) {
    if (!isList(part)) {
      fields.push(part);
      continue;
    }
    const isFirst = cards.length === 0 && fields.length > 0;
    if (isFirst) cards.push({ fields });
    cards.push({ fields: isFirst ? [] : fields, list: part });
    fields = [];
  }
  return fields.length === 0 ? cards : [...cards, { fields }];
}

export function SectionCards(props: PartsProps) {
  const { section } = props.form;
  const cards = cardsOf(section);
  const firstPlain = cards.find(({ list }) => list === undefined);
  const drawn = section.parts.find(hasPoints);
  return cards.map((card) => {
    const { fields, list } = card;
    if (list === undefined)
      return (
        <SectionCard key={fields[0]?.path} title={card === firstPlain ? section.label : text.more} gap={4}>
          <FieldGrid fields={fields} />
        </SectionCard>
      );
    const above = (
      <>
        {fields.length === 0 ? null : <FieldGrid fields={fields} />}
        {list === drawn ? <Picture {...props} /> : null}
      </>
    );
    return <ItemListCard key={list.path} list={list} above={above} />;
  });
}
