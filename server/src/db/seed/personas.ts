// The people of the demo and of the tests: who they are, what they may do, and how they sign in. Seeded, printed and used by name.

export type PersonaName = "support" | "operator" | "customer" | "customerChild" | "readonly" | "noLicense";

/** One password for all: it is known, which is why the demo listens on this machine only. */
const password = "violet-harbour-lantern";

export const personas: Record<PersonaName, { email: string; password: string; account: string; says: string }> = {
  support: { email: "support@demo.example.com", password, account: "PS Support", says: "sees and manages everything" },
  operator: {
    email: "operator@demo.example.com",
    password,
    account: "Northwind Dealers",
    says: "a dealer with many customers",
  },
  customer: {
    email: "customer@demo.example.com",
    password,
    account: "Harbour Stores",
    says: "a shop chain with its branches",
  },
  customerChild: { email: "branch@demo.example.com", password, account: "Harbour Stores Old Town", says: "one branch" },
  readonly: {
    email: "readonly@demo.example.com",
    password,
    account: "Harbour Stores Audit",
    says: "looks, changes nothing",
  },
  noLicense: { email: "library@demo.example.com", password, account: "City Library", says: "no monitoring license" },
};
