import { useEffect, useState } from 'react';

/** Whether it has been true for a while: most work finishes before anybody would look at its progress. */
export function useLasting(isSo: boolean): boolean {
  const [isLasting, setLasting] = useState(false);
  useEffect(() => {
    setLasting(false);
    if (!isSo) return undefined;
    const timer = setTimeout(() => setLasting(true), 800);
    return () => clearTimeout(timer);
  }, [isSo]);
  return isSo && isLasting;
}
