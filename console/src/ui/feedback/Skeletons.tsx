// Loading placeholders of the right size; DataTable has its own.
import { Box, Card, CardContent, Skeleton, Stack } from "@mui/material";
import type { ReactNode } from "react";
import { visuallyHidden } from "../visuallyHidden.ts";

function Waiting({ children, page }: { children: ReactNode; page?: true }) {
  return (
    <Box role="status" aria-busy {...(page && { "data-page-loading": "" })}>
      <span style={visuallyHidden}>Loading</span>
      {children}
    </Box>
  );
}

export function FormSkeleton() {
  return (
    <Waiting>
      <Stack sx={{ gap: 4 }}>
        {Array.from({ length: 4 }, (_, index) => (
          <div key={index}>
            <Skeleton width={96} height={20} sx={{ mb: 1 }} />
            <Skeleton variant="rounded" height={36} />
          </div>
        ))}
      </Stack>
    </Waiting>
  );
}

type CardSkeletonProps = { lines?: number; height?: number | Record<"xs" | "sm", number> };

export function CardSkeleton({ lines = 3, height }: CardSkeletonProps) {
  return (
    <Waiting>
      <Card sx={{ height }}>
        <CardContent>
          <Skeleton width="32%" height={24} sx={{ mb: 2 }} />
          {Array.from({ length: lines }, (_, index) => (
            <Skeleton key={index} width={`${88 - ((index * 17) % 40)}%`} height={20} />
          ))}
        </CardContent>
      </Card>
    </Waiting>
  );
}

/** Has no footer, because the footer would shift when the page is loaded. */
export function PageSkeleton() {
  return (
    <Waiting page>
      <Skeleton width={220} height={28} sx={{ mb: 4 }} />
      <Skeleton variant="rounded" height={40} sx={{ mb: 4 }} />
      <Skeleton variant="rounded" height={360} />
    </Waiting>
  );
}
