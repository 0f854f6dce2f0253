import { Title } from '@radix-ui/react-dialog';
import type { UseQueryResult } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { useNavigate } from 'react-router';
import { useMay } from '../api/scopes.ts';
import { useApi } from '../api/use-api.ts';
import { EndpointsDocument, TablesDocument } from '../generated/graphql.ts';
import { Modal } from '../ui/dialog.tsx';
import { useOpener } from '../ui/use-opener.ts';
import { usePlaces } from './places.ts';
import { useProject, viewPath } from './use-project.ts';

interface Destination {
  readonly label: string;
  readonly kind: string;
  readonly path: string;
}

interface PaletteProps {
  readonly open: boolean;
  readonly onClose: () => void;
  /** Called as well when it leads somewhere. */
  readonly onGo: () => void;
}

/** Quick navigation by typing: views, endpoints by name or description, tables. */
export function Palette({ open, onClose, onGo }: PaletteProps) {
  const { opener, handlers } = useOpener();
  const navigate = useNavigate();
  const go = (path: string) => {
    opener.current = null;
    onGo();
    onClose();
    void navigate(path);
  };
  return (
    <Modal {...{ open, onClose }} className="dialog palette" {...handlers}>
      <Title className="visually-hidden">Go to</Title>
      <PaletteBox onChoose={go} />
    </Modal>
  );
}

function PaletteBox({ onChoose }: { onChoose: (path: string) => void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const [isEntered, setEntered] = useState(false);
  const { found, isComplete } = useDestinations(text.trim());
  const chosen = Math.min(at, Math.max(found.length - 1, 0));
  const isKnown = isComplete || found[chosen]?.kind === 'Page';
  // Enter pressed before the response to the typed text has arrived takes effect when it does.
  useEffect(() => {
    if (!isEntered || !isKnown) return;
    setEntered(false);
    if (found[chosen] !== undefined) onChoose(found[chosen].path);
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter') setEntered(true);
    if (step === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    if (step !== undefined) setAt((chosen + step + found.length) % Math.max(found.length, 1));
  };
  return (
    <>
      <input
        className="palette-input"
        role="combobox"
        aria-label="Go to an endpoint, a table or a page"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found.length === 0 ? undefined : `palette-${chosen}`}
        placeholder="Endpoint, table or page"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setAt(0);
          setEntered(false);
        }}
        onKeyDown={onKeyDown}
      />
      <div className="palette-list" id="palette-list" role="listbox" aria-label="Found">
        {found.map((destination, index) => (
          <div
            key={destination.path}
            id={`palette-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            ref={(element) => {
              if (index === chosen) element?.scrollIntoView({ block: 'nearest' });
            }}
            onMouseMove={() => setAt(index)}
            onClick={() => onChoose(destination.path)}
          >
            <bdi>{destination.label}</bdi>
            <span className="muted small">{destination.kind}</span>
          </div>
        ))}
      </div>
      {found.length === 0 && <p className="palette-none muted">Nothing matches.</p>}
    </>
  );
}

interface Destinations {
  readonly found: readonly Destination[];
  /** False while endpoints or tables are those of the text before, or none because they are still being read. */
  readonly isComplete: boolean;
}

function useDestinations(text: string): Destinations {
  const project = useProject();
  const { read, write, load } = useMay();
  const endpoints = useApi(
    EndpointsDocument,
    { projectId: project, first: 12, offset: 0, filter: text === '' ? null : { search: text } },
    { enabled: read, keep: true },
  );
  const tables = useApi(
    TablesDocument,
    { projectId: project, first: 6, offset: 0, search: text },
    { enabled: read && text !== '', keep: true },
  );
  const places = usePlaces().map(({ view, label }) => ({ view, label }));
  const pages = [
    ...places,
    ...(write ? [{ view: 'new', label: 'New endpoint' }] : []),
    ...(load && read ? [{ view: 'load', label: 'Load a file' }] : []),
  ];
  const found = [
    ...pages
      .filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()))
      .map(({ view, label }) => ({ label, kind: 'Page', path: viewPath(project, view) })),
    ...(endpoints.data?.endpoints?.edges ?? []).map(({ node: { name } }) => ({
      label: name,
      kind: 'Endpoint',
      path: viewPath(project, 'endpoints', name),
    })),
    ...(text === '' ? [] : (tables.data?.tables?.results ?? [])).map(({ name }) => ({
      label: name,
      kind: 'Table',
      path: viewPath(project, 'tables', name),
    })),
  ];
  return { found, isComplete: !isBehind(endpoints) && !isBehind(tables) };
}

function isBehind({ isFetching, isPending, isPlaceholderData }: BehindFacts): boolean {
  return isFetching && (isPending || isPlaceholderData);
}

type BehindFacts = Pick<UseQueryResult, 'isFetching' | 'isPending' | 'isPlaceholderData'>;
