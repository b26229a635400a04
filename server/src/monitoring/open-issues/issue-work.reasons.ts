// Texts that explain refusals about work on issues.
export const issueWorkReasons = {
  noEdit: { reason: "You can't edit this sensor." },
  noView: { reason: "You can't view this sensor." },
  formerOwner: { reason: "This issue is from before the sensor changed its owner." },
  hasNewer: { reason: "This issue has changed since. Try again with its latest entry." },
  notOpen: { reason: "This issue is no longer open." },
  noLogin: { reason: "This login doesn't exist, or you can't view its account." },
  cantView: (email: string) => ({ reason: `${email} can't view this sensor.` }),
  snoozePast: { reason: "Choose a time in the future." },
  snoozeLong: { reason: "An issue can be snoozed for at most one year." },
  tooMany: (limit: number) => ({ reason: `You can change at most ${limit} entries at once` }),
  tooManyNotes: (limit: number) => ({ reason: `You can add a note to at most ${limit} issues at once.` }),
  changedSelection: (count: number) => ({
    reason: `Selection changed: ${count === 1 ? "1 entry now matches" : `${count} entries now match`}.`,
  }),
  needsOpen: (field: string) => ({ field, reason: `${field} requires open=true.` }),
};
