import { useEffect, useRef } from 'react';
import type { Pages } from '../api/use-pages.ts';
import { Button } from './parts.tsx';

interface MoreRowsProps {
  readonly pages: Pick<Pages<unknown>, 'hasMore' | 'isReading' | 'readMore'>;
  /** Like "More of 1,200 keys". */
  readonly words: string;
}

/** The end of a partially read list: reads the next page when it becomes visible. */
export function MoreRows({ pages, words }: MoreRowsProps) {
  const place = useRef<HTMLParagraphElement>(null);
  const { hasMore, isReading, readMore } = pages;
  useEffect(() => {
    if (place.current === null || isReading) return undefined;
    const watch = new IntersectionObserver(([seen]) => {
      if (seen?.isIntersecting === true) readMore();
    });
    watch.observe(place.current);
    return () => watch.disconnect();
  });
  if (!hasMore) return null;
  return (
    <p ref={place} className="more">
      <Button onClick={readMore} busy={isReading}>
        {words}
      </Button>
    </p>
  );
}
