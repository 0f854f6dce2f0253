import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';

const lineHeight = 22;
/** Longer lines are truncated; a download is complete. */
const lineCharacters = 2000;

interface TextLinesProps {
  readonly label: string;
  readonly lines: readonly string[];
}

/** Renders only the visible lines. */
export function TextLines({ label, lines }: TextLinesProps) {
  return <LinesBy label={label} count={lines.length} lineAt={(at) => lines[at] ?? ''} />;
}

interface LinesByProps {
  readonly label: string;
  readonly count: number;
  readonly lineAt: (index: number) => string;
}

/** The same, with lines created when they become visible. */
export function LinesBy({ label, count, lineAt }: LinesByProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => lineHeight,
    overscan: 20,
  });
  return (
    <div className="json-scroll" ref={scroller} tabIndex={0} role="region" aria-label={label}>
      <pre style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => (
          <span key={index} className="json-line" style={{ transform: `translateY(${start}px)` }}>
            <bdi>{cut(lineAt(index))}</bdi>
          </span>
        ))}
      </pre>
    </div>
  );
}

function cut(line: string): string {
  return line.length > lineCharacters ? `${line.slice(0, lineCharacters)}…` : line;
}
