// The product's logo, same as the favicon.
import { Box } from "@mui/material";

export function Logo({ size = 22 }: { size?: number }) {
  return (
    <Box component="svg" viewBox="0 0 32 32" aria-hidden sx={{ width: size, height: size, flex: "none" }}>
      <rect width="32" height="32" rx="8" fill="#0b7a74" />
      <circle cx="16" cy="12" r="4.5" fill="#fff" />
      <path d="M7 25c0-5 4-8 9-8s9 3 9 8" fill="none" stroke="#fff" strokeWidth="3" strokeLinecap="round" />
      <circle cx="25" cy="7" r="4" fill="#e50051" />
    </Box>
  );
}
