// Confirmation dialogs before a section is saved. Canceling one of them cancels the save.
import type { Section, Values } from "@psp/contract/section/field.ts";
import { planSave } from "@psp/contract/section/saving.ts";
import { useState } from "react";
import { ConfirmDialog } from "../ui/form/ConfirmDialog.tsx";
import { sectionText as text } from "./section.text.ts";

type Question = { title: string; sentence: string; button: string; danger: boolean };
type Asked = Question & { answer: (yes: boolean) => void };

/** Questions about switches that were turned off, followed by the question about the connection. */
function questionsOf(section: Section, before: Values, after: Values): Question[] {
  const { questions, confirm } = planSave(section, before, after);
  return [
    ...questions.map(({ question, button }) => ({ title: button, sentence: question, button, danger: true })),
    ...(confirm ? [{ title: text.applyTitle, sentence: text.applyQuestion, button: text.apply, danger: false }] : []),
  ];
}

/** `mayGo` resolves to true if all questions were confirmed. The caller must render `dialog`. */
export function useConfirmations(section: Section) {
  const [asked, setAsked] = useState<Asked | null>(null);
  // Keeps the texts while the dialog closes.
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
