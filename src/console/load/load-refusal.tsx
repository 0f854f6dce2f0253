import { useQuery } from '@tanstack/react-query';
import type { ApiError } from '../api/client.ts';
import { Button, ErrorNote } from '../ui/parts.tsx';
import { kindOfFile, lineOfRefusal } from './file-kind.ts';
import { type FileLine, linesUpTo } from './file-lines.ts';

interface LoadRefusalProps {
  readonly error: ApiError;
  readonly file: File | null;
  /** Null when nothing can be forced. */
  readonly onForce: (() => void) | null;
}

/** Why nothing was loaded, with the relevant line of the file. */
export function LoadRefusal({ error, file, onForce }: LoadRefusalProps) {
  const line = lineOfRefusal(error.message);
  const isText = file !== null && kindOfFile(file.name).isPlainText;
  return (
    <div className="stack">
      <ErrorNote error={{ message: inPageTerms(error.message) }} title="Not loaded" />
      {isText && line !== null && <RefusedLines file={file} line={line} />}
      {onForce !== null && (
        <div>
          <Button look="danger" onClick={onForce}>
            Replace it anyway
          </Button>
        </div>
      )}
    </div>
  );
}

/** The service's "body" is the file here. */
function inPageTerms(message: string): string {
  return message.replace(/^The body\b/, 'The file');
}

function RefusedLines({ file, line }: { file: File; line: number }) {
  const { data: lines = [] } = useQuery<readonly FileLine[]>({
    queryKey: ['lines', file.name, file.size, file.lastModified, line],
    queryFn: () => linesUpTo(file, line),
    retry: false,
  });
  if (lines.length === 0) return null;
  return (
    <div className="file-lines" role="region" aria-label={`Line ${line} of the file`} tabIndex={0}>
      {lines.map(({ number, text }) => (
        <div key={number} className="file-line" data-bad={number === line || undefined}>
          <span className="file-line-number">{number}</span>
          <bdi>{text === '' ? '\u00a0' : text}</bdi>
        </div>
      ))}
    </div>
  );
}
