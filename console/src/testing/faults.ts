// Collects contract violations during a test.

const faults: string[] = [];

export function addViolation(fault: string): void {
  if (!faults.includes(fault)) faults.push(fault);
}

export function takeViolations(): string[] {
  return faults.splice(0);
}
