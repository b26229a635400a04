// Card of a section's list, in which items are added, edited and removed.
import { findRemovalBlocker } from "@psp/contract/section/check/removal.ts";
import { sectionMessages } from "@psp/contract/section/check/sentences.ts";
import type { Field, ItemList, ReferenceField, Values } from "@psp/contract/section/field.ts";
import {
  idOf,
  isPlainObject,
  itemsAt,
  itemsById,
  createItem,
  valueAt,
  withValueAt,
} from "@psp/contract/section/values.ts";
import { addButtonLabel, listFullReason, itemName, itemTitle } from "@psp/contract/section/item-labels.ts";
import AddRounded from "~icons/ic/round-add";
import DeleteOutlineRounded from "~icons/ic/round-delete-outline";
import { Box, Button, FormHelperText, Typography } from "@mui/material";
import { type ReactNode, useId } from "react";
import { Disabled } from "../../ui/feedback/Disabled.tsx";
import { SectionCard } from "../../ui/SectionCard.tsx";
import { SectionFacts } from "../SectionFacts.tsx";
import { sectionText as text } from "../section.text.ts";
import { elementId } from "../section.values.ts";
import { useSectionForm } from "./fieldContext.ts";
import { FieldGrid } from "./FieldGrid.tsx";
import { focusAfter } from "./focusAfter.ts";

export function ItemListCard({ list, above }: { list: ItemList; above?: ReactNode }) {
  const form = useSectionForm();
  const { values, stored, readOnly, edit, errorAt } = form;
  const items = itemsAt(values, list.path);
  const known = itemsById(stored, list.path);
  const error = errorAt(list.path);
  const errorId = useId();
  const addId = elementId(`${list.path}-add`);

  const add = () => {
    const taken = [...items.map(idOf), ...known.keys()].filter((id) => id !== null);
    const item = withReferences(list, createItem(list, taken), values);
    focusAfter(
      () => edit(list.path, (all) => withValueAt(all, list.path, [...itemsAt(all, list.path), item])),
      firstFieldOf(list, idOf(item) ?? ""),
    );
  };
  const remove = (id: string) => {
    const at = items.findIndex((item) => idOf(item) === id);
    const next = idOf(items[at + 1] ?? items[at - 1]);
    focusAfter(
      () =>
        edit(list.path, (all) =>
          withValueAt(
            all,
            list.path,
            itemsAt(all, list.path).filter((item) => idOf(item) !== id),
          ),
        ),
      next === null ? addId : firstFieldOf(list, next),
    );
  };
  return (
    <SectionCard title={list.label} gap={4}>
      {above}
      <Box
        id={elementId(list.path)}
        tabIndex={-1}
        aria-describedby={error === undefined ? undefined : errorId}
        sx={{ display: "flex", flexDirection: "column", gap: 4 }}
      >
        {items.length === 0 ? (
          <Typography sx={{ color: "text.secondary" }}>{text.noItems(list.words.many)}</Typography>
        ) : null}
        {items.map((item) => {
          const id = idOf(item) ?? "";
          const isNew = !known.has(id);
          return (
            <OneItem
              key={id}
              list={list}
              id={id}
              title={itemTitle(list, known.get(id), isNew)}
              name={itemName(list, known.get(id), isNew)}
              onRemove={list.fixed === true || readOnly ? undefined : () => remove(id)}
              whyNot={
                findRemovalBlocker(list, id, values, form.others) ??
                (items.length <= list.min ? sectionMessages.tooFew(list) : undefined)
              }
            />
          );
        })}
        {error === undefined ? null : (
          <FormHelperText error id={errorId} sx={{ m: 0 }}>
            {error}
          </FormHelperText>
        )}
      </Box>
      {list.fixed === true || readOnly ? null : (
        <Box>
          <Disabled reason={listFullReason(list, items.length) ?? undefined}>
            <Button id={addId} variant="outlined" color="inherit" startIcon={<AddRounded />} onClick={add}>
              {addButtonLabel(list)}
            </Button>
          </Disabled>
        </Box>
      )}
    </SectionCard>
  );
}

type OneItemProps = {
  list: ItemList;
  id: string;
  title: string;
  name: string;
  /** Undefined if the device determines the items of the list. */
  onRemove: (() => void) | undefined;
  whyNot: string | undefined;
};

function OneItem({ list, id, title, name, onRemove, whyNot }: OneItemProps) {
  const { section, info, errorAt, select } = useSectionForm();
  const fieldPath = `${list.path}.${id}`;
  const error = errorAt(fieldPath);
  const facts = section.facts.filter((fact) => fact.list === list.path);
  return (
    <Box
      role="group"
      id={elementId(fieldPath)}
      tabIndex={-1}
      aria-label={title}
      onFocus={() => select(list.path, id)}
      sx={{
        display: "flex",
        flexDirection: "column",
        gap: 4,
        p: 4,
        border: 1,
        borderColor: "divider",
        borderRadius: "8px",
      }}
    >
      <Box sx={{ display: "flex", alignItems: "center", justifyContent: "space-between", gap: 2, minHeight: 32 }}>
        <Typography variant="h3" sx={{ minWidth: 0, overflowWrap: "anywhere" }}>
          {title}
        </Typography>
        {onRemove === undefined ? null : (
          <Disabled reason={whyNot}>
            <Button
              size="small"
              color="inherit"
              aria-label={text.remove(name)}
              startIcon={<DeleteOutlineRounded />}
              onClick={onRemove}
              sx={{ flex: "none" }}
            >
              {text.removeWord}
            </Button>
          </Disabled>
        )}
      </Box>
      {error === undefined ? null : (
        <FormHelperText error sx={{ m: 0 }}>
          {error}
        </FormHelperText>
      )}
      <SectionFacts facts={facts} of={itemsById(info, list.path).get(id)} onlyKnown />
      <FieldGrid fields={list.fields} within={{ list, id }} />
    </Box>
  );
}

const isReference = (field: Field): field is ReferenceField => field.kind === "reference";

/** Fills each required reference to a list of the same section with the first item of that list. */
function withReferences(list: ItemList, item: Values, values: Values): Values {
  return list.fields.filter(isReference).reduce((all, field) => {
    if (field.nullable || field.section !== undefined) return all;
    const first = itemsAt(values, field.list).find(isPlainObject);
    return first === undefined ? all : withValueAt(all, field.path, valueAt(first, "id"));
  }, item);
}

const firstFieldOf = (list: ItemList, id: string) => elementId(`${list.path}.${id}.${list.fields[0]?.path ?? ""}`);
