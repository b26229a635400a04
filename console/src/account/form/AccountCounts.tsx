// Links from an account to its logins in the same dialog, and to the lists of its objects.
import type { Account } from "@psp/contract/account/account.ts";
import { Link } from "@mui/material";
import { CountLinks, type RelatedCount } from "../../entity/CountLinks.tsx";
import { accountText as text } from "../account.text.ts";

const owned = ["sensor", "measurement", "artifact", "role"] as const;
const inList = { viewType: "list" };

export function AccountCounts({ account: { _id, credentials } }: { account: Account }) {
  const related: RelatedCount[] = [
    ...owned.map((type) => ({ type, filter: { ownerID: _id } })),
    { type: "account", filter: { parentID: _id }, view: inList, words: text.childAccounts },
  ];
  return (
    <CountLinks label={text.hanging} related={related}>
      <li>
        <Link
          href={`#${loginsSectionId}`}
          onClick={(event) => {
            event.preventDefault();
            const place = document.getElementById(loginsSectionId);
            place?.scrollIntoView({ block: "start" });
            place?.focus();
          }}
          sx={{ display: "inline-flex", alignItems: "center", minHeight: 24 }}
        >
          {text.logins(credentials.length)}
        </Link>
      </li>
    </CountLinks>
  );
}

export const loginsSectionId = "account-logins";
