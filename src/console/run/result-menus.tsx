import { useState } from 'react';
import { copyText } from '../ui/copy-text.ts';
import { formatBytes } from '../ui/format.ts';
import { Menu } from '../ui/menu.tsx';
import { Button } from '../ui/parts.tsx';
import { toTabbedText } from './cell-values.ts';
import { copyFormats } from './copy-as.ts';
import { type Download, downloadFormats } from './download.ts';
import { readSoFar, useRunProgress } from './run-progress.ts';
import { type RunningDownload, useDownload } from './use-download.ts';
import type { RunResult } from './use-run.ts';

interface ResultMenusProps {
  readonly result: RunResult;
  /** Absent for an unsaved query, which has no URL. */
  readonly copied: Download | undefined;
}

/** Copies and downloads of a result. */
export function ResultMenus({ result, copied }: ResultMenusProps) {
  const [notice, setNotice] = useState('');
  const downloading = useDownload(setNotice);
  const { columns, rows } = result;
  const copy = async (what: string, text: string) => {
    await copyText(text);
    setNotice(`${what} copied`);
  };
  const rowsItem = {
    label: 'Rows',
    hint: 'for a spreadsheet',
    onSelect: () => void copy('Rows', toTabbedText(columns, rows)),
  };
  const linkItem = {
    label: 'Link',
    hint: 'for a person with a key',
    onSelect: () => void copy('Link', location.href),
  };
  const programs = Object.entries(copyFormats).map(([label, write]) => ({
    label,
    onSelect: () => {
      if (copied !== undefined)
        void copy(label, write({ ...copied, columns, origin: location.origin }));
    },
  }));
  const files = Object.entries(downloadFormats).map(([format, { label, extension }]) => ({
    label,
    hint: `.${extension}`,
    onSelect: () => {
      if (copied === undefined) return;
      setNotice('');
      downloading.start(copied, format);
    },
  }));
  return (
    <div className="result-menus">
      <span className="muted small" role="status">
        {notice}
      </span>
      {copied !== undefined && downloading.running !== null && (
        <DownloadProgress
          project={copied.projectId}
          running={downloading.running}
          onStop={downloading.stop}
        />
      )}
      <Menu
        label="Copy as"
        icon="copy"
        items={copied === undefined ? [rowsItem] : [linkItem, ...programs, rowsItem]}
      />
      {copied !== undefined && <Menu label="Download" icon="download" items={files} />}
    </div>
  );
}

interface DownloadProgressProps {
  readonly project: string;
  readonly running: RunningDownload;
  readonly onStop: () => void;
}

/** What the engine has read until the first bytes arrive, then the bytes. */
function DownloadProgress({ project, running: { id, bytes }, onStop }: DownloadProgressProps) {
  const progress = useRunProgress(project, id, bytes === 0);
  const words = () => {
    if (bytes > 0) return `${formatBytes(bytes)} received`;
    return progress === null ? 'Preparing the file' : readSoFar(progress);
  };
  return (
    <>
      <span className="muted small" role="status">
        {words()}
      </span>
      <Button onClick={onStop}>Stop</Button>
    </>
  );
}
