// Shows configuration warnings below the header. The server sends them only to the root account.
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
