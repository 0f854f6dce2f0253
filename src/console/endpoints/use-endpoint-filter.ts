import { useSearchParams } from 'react-router';
import type { EndpointFilter } from '../generated/graphql.ts';

/** The conditions of the list, which are stored in the URL. */
export interface EndpointConditions {
  readonly search: string;
  readonly labels: readonly string[];
  /** `''`, `active` or `inactive`. */
  readonly state: string;
  /** `''`, `yes` or `no`. */
  readonly stored: string;
  readonly filter: EndpointFilter;
  readonly set: (name: 'q' | 'state' | 'stored', value: string) => void;
  readonly toggleLabel: (label: string) => void;
  readonly clear: () => void;
}

const flags: Readonly<Record<string, boolean>> = {
  active: true,
  inactive: false,
  yes: true,
  no: false,
};

export function useEndpointFilter(): EndpointConditions {
  const [params, setParams] = useSearchParams();
  const search = params.get('q') ?? '';
  const labels = params.getAll('label');
  const [state, stored] = [params.get('state') ?? '', params.get('stored') ?? ''];
  const change = (edit: (next: URLSearchParams) => void) =>
    setParams(
      (previous) => {
        const next = new URLSearchParams(previous);
        edit(next);
        return next;
      },
      { replace: true },
    );
  return {
    search,
    labels,
    state,
    stored,
    filter: {
      ...(search === '' ? {} : { search }),
      ...(labels.length === 0 ? {} : { tags: labels }),
      ...(flags[state] === undefined ? {} : { isActive: flags[state] }),
      ...(flags[stored] === undefined ? {} : { isMaterialized: flags[stored] }),
    },
    set: (name, value) =>
      change((next) => (value === '' ? next.delete(name) : next.set(name, value))),
    toggleLabel: (label) =>
      change((next) => {
        const isSet = next.getAll('label').includes(label);
        if (isSet) next.delete('label', label);
        else next.append('label', label);
      }),
    clear: () => setParams({}, { replace: true }),
  };
}
