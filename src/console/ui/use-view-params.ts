import { useLocation, useNavigate, useSearchParams } from 'react-router';

type Change = (next: URLSearchParams) => void;

/** The URL's parameters, and a function that changes them in place. The hash stays. */
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
