import { type DragEvent, useState } from 'react';
import { formatBytes } from '../ui/format.ts';
import { Icon } from '../ui/icons.tsx';

interface FileDropProps {
  readonly file: File | null;
  readonly onFile: (file: File) => void;
  readonly disabled: boolean;
}

/** An area for choosing or dropping one file. */
export function FileDrop({ file, onFile, disabled }: FileDropProps) {
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const [dropped] = event.dataTransfer.files;
    if (dropped !== undefined && !disabled) onFile(dropped);
  };
  return (
    <label
      className="file-drop"
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <input
        type="file"
        className="visually-hidden"
        aria-label="File"
        disabled={disabled}
        onChange={({ target }) => {
          const [chosen] = target.files ?? [];
          if (chosen !== undefined) onFile(chosen);
          // Lets the same file be chosen again after it was changed.
          target.value = '';
        }}
      />
      <Icon name="upload" />
      {file === null ? (
        <span>
          <strong>Choose a file</strong>, or drop it here
          <span className="muted small">
            CSV, TSV, NDJSON, JSON, Parquet or Arrow, also compressed
          </span>
        </span>
      ) : (
        <span>
          <strong>
            <bdi>{file.name}</bdi>
          </strong>
          <span className="muted small">{formatBytes(file.size)}. Press to choose another.</span>
        </span>
      )}
    </label>
  );
}
