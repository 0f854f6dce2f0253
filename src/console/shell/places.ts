import type { IconName } from '../ui/icons.tsx';

interface Place {
  readonly view: string;
  readonly label: string;
  readonly icon: IconName;
}

/** The views of a project. */
export function usePlaces(): readonly Place[] {
  return [{ view: 'endpoints', label: 'Endpoints', icon: 'endpoints' }];
}
