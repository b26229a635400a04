// What is asked before a section is saved, one question after the other; a single Cancel ends it.
import type { Section, Values } from "@psp/contract/section/field.ts";
import { savingOf } from "@psp/contract/section/saving.ts";
import { useState } from "react";
import { ConfirmDialog } from "../ui/form/ConfirmDialog.tsx";
import { sectionText as text } from "./section.text.ts";

type Question = { title: string; sentence: string; button: string; danger: boolean };
type Asked = Question & { answer: (yes: boolean) => void };

/** Of what was switched off first, and of the connection last: after that it is sent. */
function questionsOf(section: Section, before: Values, after: Values): Question[] {
  const { asks, confirm } = savingOf(section, before, after);
  return [
    ...asks.map(({ question, button }) => ({ title: button, sentence: question, button, danger: true })),
    ...(confirm ? [{ title: text.applyTitle, sentence: text.applyQuestion, button: text.apply, danger: false }] : []),
  ];
}

/** `mayGo` answers whether all were agreed to; `dialog` is to be rendered. */
export function useQuestions(section: Section) {
  const [asked, setAsked] = useState<Asked | null>(null);
  // Shown while the dialog goes.
  const [last, setLast] = useState<Question | null>(null);
  const ask = (question: Question) =>
    new Promise<boolean>((resolve) => {
      const answer = (yes: boolean) => {
        setAsked(null);
        resolve(yes);
      };
      setLast(question);
      setAsked({ ...question, answer });
    });
  const mayGo = async (before: Values, after: Values): Promise<boolean> => {
    for (const question of questionsOf(section, before, after)) if (!(await ask(question))) return false;
    return true;
  };
  const dialog = (
    <ConfirmDialog
      open={asked !== null}
      title={last?.title ?? ""}
      confirmLabel={last?.button ?? ""}
      danger={last?.danger ?? false}
      onConfirm={() => asked?.answer(true)}
      onClose={() => asked?.answer(false)}
    >
      {last?.sentence}
    </ConfirmDialog>
  );
  return { mayGo, dialog };
}
