import { useLocation, useNavigate, useSearchParams } from 'react-router';

type Change = (next: URLSearchParams) => void;

/** The parameters of the address, and what changes them in place. What stands behind `#` stays. */
export function useViewParams(): readonly [URLSearchParams, (change: Change) => void] {
  const [params] = useSearchParams();
  const { hash } = useLocation();
  const navigate = useNavigate();
  const change = (edit: Change) => {
    const next = new URLSearchParams(params);
    edit(next);
    void navigate({ search: next.toString(), hash }, { replace: true });
  };
  return [params, change];
}
