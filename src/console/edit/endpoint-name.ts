const longestName = 128;

/** Why the name cannot be that of an endpoint; null if it can. Pure. */
export function nameFault(name: string): string | null {
  if (name === '') return 'Enter a name to create it.';
  if (!/^[a-zA-Z]/.test(name)) return 'The name must begin with a letter from A to Z.';
  if (/[^\w-]/.test(name)) return 'The name may have only letters, digits, _ and -.';
  return name.length > longestName ? `The name is longer than ${longestName} characters.` : null;
}
