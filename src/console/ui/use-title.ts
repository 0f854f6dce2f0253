import { useEffect } from 'react';

/** Sets the tab's title while the view is shown. */
export function useTitle(...parts: readonly string[]): void {
  const title = [...parts, 'Querydock'].join(' · ');
  useEffect(() => {
    document.title = title;
  }, [title]);
}
