// Configuration warnings for the operator below the header; the server sends them to the root account only.
import { Alert } from "@mui/material";

export function ConfigurationWarnings({ sentences }: { sentences: readonly string[] }): React.JSX.Element {
  return (
    <Alert
      severity="warning"
      role="status"
      sx={{ borderRadius: 0, overflowWrap: "anywhere", "@media print": { display: "none" } }}
    >
      {sentences.map((sentence) => (
        <div key={sentence}>{sentence}</div>
      ))}
    </Alert>
  );
}
