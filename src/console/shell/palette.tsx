import * as Radix from '@radix-ui/react-dialog';
import { type KeyboardEvent, useDeferredValue, useState } from 'react';
import { useNavigate } from 'react-router';
import { useMay } from '../api/scopes.ts';
import { useApi } from '../api/use-api.ts';
import { EndpointsDocument, TablesDocument } from '../generated/graphql.ts';
import { usePlaces } from './places.ts';
import { useProject, viewPath } from './use-project.ts';

interface Destination {
  readonly label: string;
  readonly kind: string;
  readonly path: string;
}

/** Goes anywhere by a few letters: views, endpoints by name or description, tables. */
export function Palette({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Radix.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="overlay" />
        <Radix.Content className="dialog palette" aria-describedby={undefined}>
          <Radix.Title className="visually-hidden">Go to</Radix.Title>
          <PaletteBox onClose={onClose} />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function PaletteBox({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const found = useDestinations(useDeferredValue(text.trim()));
  const navigate = useNavigate();
  const go = (destination: Destination | undefined) => {
    if (destination === undefined) return;
    onClose();
    void navigate(destination.path);
  };
  const chosen = Math.min(at, Math.max(found.length - 1, 0));
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter') go(found[chosen]);
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
            onClick={() => go(destination)}
          >
            <bdi>{destination.label}</bdi>
            <span className="muted small">{destination.kind}</span>
          </div>
        ))}
      </div>
      {found.length === 0 && <p className="palette-none muted">Nothing has such a name.</p>}
    </>
  );
}

function useDestinations(text: string): readonly Destination[] {
  const project = useProject();
  const { read, write, load } = useMay();
  const endpoints = useApi(
    EndpointsDocument,
    { projectId: project, first: 12, offset: 0, filter: text === '' ? null : { search: text } },
    { enabled: read, keep: true },
  ).data?.endpoints?.edges;
  const tables = useApi(
    TablesDocument,
    { projectId: project, first: 6, offset: 0, search: text },
    { enabled: read && text !== '', keep: true },
  ).data?.tables?.results;
  const places = usePlaces().map(({ view, label }) => ({ view, label }));
  const pages = [
    ...places,
    ...(write ? [{ view: 'new', label: 'New endpoint' }] : []),
    ...(load && read ? [{ view: 'load', label: 'Load a file' }] : []),
  ];
  return [
    ...pages
      .filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()))
      .map(({ view, label }) => ({ label, kind: 'Page', path: viewPath(project, view) })),
    ...(endpoints ?? []).map(({ node: { name } }) => ({
      label: name,
      kind: 'Endpoint',
      path: viewPath(project, 'endpoints', name),
    })),
    ...(text === '' ? [] : (tables ?? [])).map(({ name }) => ({
      label: name,
      kind: 'Table',
      path: viewPath(project, 'tables', name),
    })),
  ];
}
