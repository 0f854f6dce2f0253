/** CodeMirror for a GraphQL document: completion, faults and documentation come from the graph's schema. */
import { autocompletion } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import { EditorView, hoverTooltip } from '@codemirror/view';
import { getSchema, graphql, offsetToPos, updateSchema } from 'cm6-graphql';
import type { GraphQLSchema } from 'graphql';
import { getHoverInformation } from 'graphql-language-service';
import { useEffect, useRef } from 'react';
import { editorParts } from '../edit/editor-parts.ts';

export interface GraphEditorProps {
  readonly initial: string;
  /** Undefined when there is none; nothing is completed then. */
  readonly schema: GraphQLSchema | undefined;
  /** Text to put into the editor, once per object. */
  readonly replacement: { readonly text: string } | null;
  readonly onChange: (text: string) => void;
  /** Called with the schema's documentation at the cursor; empty for none. */
  readonly onPlace: (about: string) => void;
  /** Ctrl-Enter. */
  readonly onRun: () => void;
}

export function GraphEditor(props: GraphEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  // The editor outlives a single rendering, so its callbacks are looked up when called.
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    if (place.current === null) return undefined;
    const { initial, schema } = latest.current;
    const extensions = [extensionsOf(latest), graphql(schema)];
    const editor = new EditorView({
      parent: place.current,
      state: EditorState.create({ doc: initial, extensions }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, []);
  const { schema, replacement } = props;
  useEffect(() => {
    if (view.current !== null) updateSchema(view.current, schema);
  }, [schema]);
  useEffect(() => {
    const editor = view.current;
    if (editor === null || replacement === null) return;
    const changes = { from: 0, to: editor.state.doc.length, insert: replacement.text };
    editor.dispatch({ changes, selection: { anchor: 0 } });
  }, [replacement]);
  return <div ref={place} className="code-editor" />;
}

function extensionsOf(latest: { readonly current: GraphEditorProps }) {
  return [
    autocompletion(),
    hoverTooltip((view, at) => {
      const about = aboutPlace(view.state, at);
      return about === '' ? null : { pos: at, above: true, create: () => ({ dom: toNote(about) }) };
    }),
    EditorView.updateListener.of(({ state, docChanged, selectionSet }) => {
      if (docChanged || selectionSet)
        latest.current.onPlace(aboutPlace(state, state.selection.main.head));
    }),
    editorParts({
      label: 'GraphQL document',
      isEditable: true,
      onRun: () => latest.current.onRun(),
      onChange: (text) => latest.current.onChange(text),
    }),
  ];
}

/** A signature and, after an empty line, its description. */
function aboutPlace(state: EditorState, at: number): string {
  const schema = getSchema(state);
  if (schema === undefined) return '';
  // The language service looks at the character before the given position.
  const hover = getHoverInformation(schema, state.doc.toString(), offsetToPos(state.doc, at));
  return typeof hover === 'string' ? hover : '';
}

/** Only as text, whatever the schema contains. */
function toNote(about: string): HTMLElement {
  const [signature = '', ...rest] = about.split('\n\n');
  const note = document.createElement('div');
  note.className = 'schema-note';
  const code = document.createElement('code');
  code.textContent = signature;
  const words = document.createElement('p');
  words.textContent = rest.join('\n\n');
  note.append(code, words);
  return note;
}
