import { Badge } from '../ui/parts.tsx';
import type { Change } from './changes.ts';

/** Changes for callers, one per line. */
export function ChangeList({ changes }: { readonly changes: readonly Change[] }) {
  return (
    <ul className="changes">
      {changes.map(({ breaks, words }) => (
        <li key={words}>
          <Badge tone={breaks ? 'bad' : 'good'}>{breaks ? 'May break' : 'Adds'}</Badge>
          <bdi>{words}</bdi>
        </li>
      ))}
    </ul>
  );
}
