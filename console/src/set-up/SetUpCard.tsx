// Card with the completed set-up steps and the next one. It is shown until all steps are done, or until it is dismissed.
import { dismissSetUp } from "@psp/contract/set-up/set-up.api.ts";
import CheckCircleRounded from "~icons/ic/round-check-circle";
import { Box, Button, Typography } from "@mui/material";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useLink } from "../address/navigation.tsx";
import { call } from "../api/call.ts";
import { useFailureToast } from "../api/useFailure.ts";
import { SectionCard } from "../ui/SectionCard.tsx";
import { useToasts } from "../ui/feedback/Toasts.tsx";
import { visuallyHidden } from "../ui/visuallyHidden.ts";
import { setUpText as text } from "./set-up.text.ts";
import { setUpKey, type SetUpStep } from "./steps.ts";

const columns: Record<number, { sm: number; lg: number }> = {
  1: { sm: 1, lg: 1 },
  2: { sm: 2, lg: 2 },
  3: { sm: 3, lg: 3 },
  4: { sm: 2, lg: 4 },
  5: { sm: 2, lg: 5 },
};

export function SetUpCard({ steps, below }: { steps: readonly SetUpStep[]; below: boolean }) {
  const dismiss = useDismissal();
  const done = steps.filter((step) => step.done).length;
  const next = steps.find((step) => !step.done && step.action !== undefined);
  const { sm, lg } = columns[steps.length] ?? { sm: 1, lg: 1 };
  const head = (
    <Box sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", columnGap: 3 }}>
      <Typography variant="h2">{text.title}</Typography>
      <Box component="span" sx={{ color: "text.secondary", flex: 1 }}>
        {text.progress(done, steps.length)}
      </Box>
      <Button size="small" color="inherit" disabled={dismiss.isPending} onClick={() => dismiss.mutate(true)}>
        {text.dismiss}
      </Button>
    </Box>
  );
  return (
    <Box data-screen-only="" sx={{ display: "contents" }}>
      <SectionCard title={text.title} head={head} sx={below ? { mt: 6 } : {}}>
        <Box
          component="ol"
          sx={{
            listStyle: "none",
            m: 0,
            p: 0,
            display: "grid",
            columnGap: 5,
            rowGap: 4,
            gridTemplateColumns: { xs: "1fr", sm: `repeat(${sm}, 1fr)`, lg: `repeat(${lg}, 1fr)` },
          }}
        >
          {steps.map((step, index) => (
            <StepItem key={step.id} step={step} number={index + 1} isNext={step === next} />
          ))}
        </Box>
      </SectionCard>
    </Box>
  );
}

function StepItem({ step, number, isNext }: { step: SetUpStep; number: number; isNext: boolean }) {
  const { title, done, action } = step;
  return (
    <Box
      component="li"
      aria-current={isNext ? "step" : undefined}
      sx={{ display: "flex", gap: 3, alignItems: "flex-start" }}
    >
      {done ? (
        <CheckCircleRounded color="success" aria-hidden sx={{ fontSize: 24, flex: "none" }} />
      ) : (
        <Box
          aria-hidden
          sx={{
            flex: "none",
            width: 24,
            height: 24,
            display: "grid",
            placeItems: "center",
            borderRadius: "50%",
            border: 1,
            borderColor: isNext ? "primary.main" : "divider",
            color: isNext ? "primary.main" : "text.secondary",
            fontSize: "0.75rem",
            fontWeight: 600,
          }}
        >
          {number}
        </Box>
      )}
      <Box sx={{ flex: 1, minWidth: 0, display: "flex", flexDirection: "column", gap: 1, alignItems: "flex-start" }}>
        <Box component="span" sx={{ fontWeight: 600, lineHeight: "24px", ...(done && { color: "text.secondary" }) }}>
          {title}
          {done ? <span style={visuallyHidden}>{` – ${text.done}`}</span> : null}
        </Box>
        {done ? null : (
          <Box component="span" sx={{ color: "text.secondary" }}>
            {step.text}
          </Box>
        )}
        {action === undefined || (done && step.id !== "counts") ? null : <StepLink {...action} isNext={isNext} />}
      </Box>
    </Box>
  );
}

function StepLink({ label, to, isNext }: { label: string; to: string; isNext: boolean }) {
  return (
    <Button
      {...useLink(to, "none")}
      size="small"
      variant={isNext ? "contained" : "outlined"}
      color={isNext ? "primary" : "inherit"}
      sx={{ mt: 1 }}
    >
      {label}
    </Button>
  );
}

function useDismissal() {
  const client = useQueryClient();
  const toasts = useToasts();
  const fail = useFailureToast();
  const set = (dismissed: boolean) =>
    call(dismissSetUp, { body: { dismissed } }).then((answer) => client.setQueryData(setUpKey, answer));
  return useMutation({
    mutationFn: set,
    onSuccess: () =>
      toasts.success(text.dismissed, {
        label: text.undo,
        onClick: () => void set(false).catch(fail(text.failed)),
      }),
    onError: fail(text.failed),
  });
}
